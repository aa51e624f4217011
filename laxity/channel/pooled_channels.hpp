// Pooled channels: many channels between the same two workers share one frame per update, a slot each.
//
// Source: Moreno et al., Conduit (2021), section 2, "pooling"; here a channel that skips a round does not hold up the
// others. Frame: PackHeader, a bitmap of the channels with news, the newest value of every channel. Invariants: a frame
// carries the newest value of every channel, so a frame lost or passed over costs no value, only its news;
//   on refusal values stay and go with the next frame; a message is lost only when a newer one of its channel replaces
//   it, and is charged to that channel.
// Threads: one thread owns each end.
// Elsewhere: messages of variable number or size (aggregated_channels.hpp), messages that add up (accumulating_channels.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "laxity/channel/pack_header.hpp"
#include "laxity/check.hpp"
#include "laxity/transport/any_transport.hpp"

namespace laxity {

namespace detail {
/// Words of a bitmap over `channels` channels.
constexpr std::size_t bitmap_words(std::size_t channels) noexcept { return (channels + 63) / 64; }
}  // namespace detail

/// Bytes of a pool's frame.
template <class T>
constexpr std::size_t pooled_frame_bytes(std::size_t channels) noexcept {
  return sizeof(PackHeader) + 8 * detail::bitmap_words(channels) + channels * sizeof(T);
}

/// The sending end of `channels` pooled channels. With no channels the sender may be empty.
template <class T>
  requires(std::is_trivially_copyable_v<T> && alignof(T) <= 8)
class PooledInlet {
 public:
  PooledInlet(AnySender sender, std::size_t channels, T initial = T{})
      : sender_(std::move(sender)), values_(channels, initial), news_(detail::bitmap_words(channels)), lost_(channels) {
    LAXITY_CHECK(channels == 0 || sender_.frame_capacity() >= pooled_frame_bytes<T>(channels));
  }

  [[nodiscard]] std::size_t channels() const noexcept { return values_.size(); }

  /// Sets the value that channel `i` sends with the next frame. Always accepted; a value still waiting is replaced and
  /// counted as lost on this channel.
  void put(std::size_t i, const T& message) noexcept {
    const std::uint64_t bit = 1ULL << (i % 64);
    if ((news_[i / 64] & bit) != 0) {
      ++lost_[i];
    } else {
      news_[i / 64] |= bit;
      ++waiting_;
    }
    values_[i] = message;
  }

  /// Publishes the news of all channels as one frame. False: refused, the news wait. True with nothing sent if there is
  /// no news.
  bool try_flush(std::uint32_t touch = 0) noexcept {
    if (waiting_ == 0) return true;
    std::byte* room = sender_.try_claim();
    if (room == nullptr) return false;
    sent_ += waiting_;
    const PackHeader header{touch, static_cast<std::uint32_t>(sent_)};
    std::memcpy(room, &header, sizeof header);
    std::memcpy(room + sizeof header, news_.data(), 8 * news_.size());
    std::memcpy(room + sizeof header + 8 * news_.size(), values_.data(), values_.size() * sizeof(T));
    sender_.publish(pooled_frame_bytes<T>(channels()));
    std::ranges::fill(news_, 0);
    waiting_ = 0;
    return true;
  }

  [[nodiscard]] bool pending() const noexcept { return waiting_ != 0; }    ///< a flush has something to do
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }  ///< channels whose news have not left
  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }      ///< channel messages that left in frames
  [[nodiscard]] std::uint64_t lost(std::size_t i) const {
    return lost_.at(i);
  }  ///< messages of channel i replaced unsent

 private:
  AnySender sender_;
  std::vector<T> values_;
  std::vector<std::uint64_t> news_;  // bit per channel: put since the last frame that left
  std::size_t waiting_ = 0;
  std::uint64_t sent_ = 0;
  std::vector<std::uint32_t> lost_;
};

/// The receiving end. A pull moves all channels together.
template <class T>
  requires(std::is_trivially_copyable_v<T> && alignof(T) <= 8)
class PooledOutlet {
 public:
  PooledOutlet(AnyReceiver receiver, std::size_t channels, T initial = T{})
      : receiver_(std::move(receiver)),
        initial_(channels, initial),
        values_(initial_),
        news_(detail::bitmap_words(channels)) {}

  [[nodiscard]] std::size_t channels() const noexcept { return values_.size(); }

  /// Shows the next frame. Returns how many frames it moved: 0 or 1.
  std::size_t try_step() noexcept { return show(receiver_.try_step(1)); }

  /// Shows the newest frame. Returns how many frames it moved.
  std::size_t jump() noexcept { return show(receiver_.jump()); }

  [[nodiscard]] const T& get(std::size_t i) const noexcept { return values_[i]; }

  /// The newest value of every channel, in place; stable until the next pull that moves.
  [[nodiscard]] std::span<const T> values() const noexcept { return values_; }

  /// Whether channel `i` had news in the last pull: false only if it surely skipped every round since the pull before.
  [[nodiscard]] bool fresh(std::size_t i) const noexcept { return (news_[i / 64] >> (i % 64) & 1) != 0; }

  [[nodiscard]] std::uint64_t received() const noexcept {
    return received_;
  }  ///< channel messages received or passed over
  [[nodiscard]] std::uint64_t superseded() const noexcept {
    return receiver_.superseded();
  }                                                                      ///< frames overwritten on the way
  [[nodiscard]] std::uint32_t touch() const noexcept { return touch_; }  ///< the touch count carried by the frame shown

 private:
  std::size_t show(std::size_t moved) noexcept {
    if (moved == 0) {
      std::ranges::fill(news_, 0);
      return 0;
    }
    const std::span<const std::byte> frame = receiver_.frame();
    PackHeader header;
    std::memcpy(&header, frame.data(), sizeof header);
    received_ = std::max(received_, whole_count(received_, header.messages));  // a frame may have been overtaken
    touch_ = header.touch;
    const std::uint64_t superseded = receiver_.superseded();
    if (moved > 1 || superseded != superseded_seen_) {  // what the frames in between announced is not known
      std::ranges::fill(news_, ~0ULL);
    } else {
      std::memcpy(news_.data(), frame.data() + sizeof header, 8 * news_.size());
    }
    superseded_seen_ = superseded;
    values_ = {reinterpret_cast<const T*>(frame.data() + sizeof header + 8 * news_.size()), values_.size()};
    return moved;
  }

  AnyReceiver receiver_;
  std::vector<T> initial_;
  std::span<const T> values_;
  std::vector<std::uint64_t> news_;
  std::uint64_t received_ = 0;
  std::uint64_t superseded_seen_ = 0;
  std::uint32_t touch_ = 0;
};

}  // namespace laxity
