// Pooled channels: many channels between the same two workers share one frame per update, with a slot for each.
//
// Source: Moreno et al., Conduit (2021), section 2, "pooling"; here a channel that skips a round does not delay the others.
// Frame: PackHeader, a bitmap of the channels that were put to, the newest value of every channel (value_frame.hpp).
// Invariants: a frame carries the newest value of every channel, so a lost or skipped frame loses no value, only the
//   information which channels were put to; after a refusal the values go with the next frame; a message is lost only when
//   a newer one of its channel replaces it, and is counted as lost on that channel.
// Threads: one thread owns each end.
// Elsewhere: messages of variable number or size (aggregated_channels.hpp), messages that merge
//   (accumulating_channels.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "laxity/channel/codec.hpp"
#include "laxity/channel/pack_header.hpp"
#include "laxity/channel/value_frame.hpp"
#include "laxity/check.hpp"
#include "laxity/transport/any_transport.hpp"

namespace laxity {

/// The sending end of `channels` pooled channels. With no channels the sender may be empty.
template <FixedPayload T>
class PooledInlet {
 public:
  PooledInlet(AnySender sender, std::size_t channels, T initial = T{})
      : sender_(std::move(sender)), values_(channels, initial), fresh_(channels), lost_(channels) {
    LAXITY_CHECK(channels == 0 || sender_.frame_capacity() >= value_frame_bytes<T>(channels));
  }

  [[nodiscard]] std::size_t channels() const noexcept { return values_.size(); }

  /// Sets the value that channel `i` sends with the next frame. Always accepted. A value that still waits is replaced and
  /// counted as lost on this channel.
  void put(std::size_t i, const T& message) noexcept {
    if (fresh_.test(i)) {
      ++lost_[i];
    } else {
      fresh_.set(i);
      ++waiting_;
    }
    values_[i] = message;
  }

  /// Publishes the values of all channels as one frame, if any channel was put to. False: refused, the values wait.
  bool try_flush(std::uint32_t touch = 0) noexcept {
    if (waiting_ == 0) return true;
    const PackHeader header{touch, static_cast<std::uint32_t>(sent_ + waiting_)};
    if (!detail::try_publish_values<T>(sender_, header, fresh_, values_)) return false;
    sent_ += std::exchange(waiting_, 0);
    fresh_.reset_all();
    return true;
  }

  [[nodiscard]] bool pending() const noexcept { return waiting_ != 0; }    ///< whether a flush would send a frame
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }  ///< channels put to since the last frame
  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }      ///< channel messages sent in frames
  /// Messages of channel i that were replaced before they were sent.
  [[nodiscard]] std::uint64_t lost(std::size_t i) const { return lost_.at(i); }

 private:
  AnySender sender_;
  std::vector<T> values_;
  detail::ChannelBitmap fresh_;  // put to since the last frame that was accepted
  std::size_t waiting_ = 0;
  std::uint64_t sent_ = 0;
  std::vector<std::uint32_t> lost_;
};

/// The receiving end. A pull moves all channels together.
template <FixedPayload T>
class PooledOutlet {
 public:
  PooledOutlet(AnyReceiver receiver, std::size_t channels, T initial = T{})
      : receiver_(std::move(receiver)), initial_(channels, initial), values_(initial_), fresh_(channels) {}

  [[nodiscard]] std::size_t channels() const noexcept { return values_.size(); }

  /// Shows the next frame. Returns the number of frames moved: 0 or 1.
  std::size_t try_step() noexcept { return show(receiver_.try_step(1)); }

  /// Shows the newest frame. Returns the number of frames moved.
  std::size_t jump() noexcept { return show(receiver_.jump()); }

  [[nodiscard]] const T& get(std::size_t i) const noexcept { return values_[i]; }

  /// The newest value of every channel, in place; valid until the next pull that moves.
  [[nodiscard]] std::span<const T> values() const noexcept { return values_; }

  /// Whether channel `i` was put to since the pull before. May be true without a put if the pull skipped frames.
  [[nodiscard]] bool fresh(std::size_t i) const noexcept { return fresh_.test(i); }

  /// Channel messages received, including those in skipped frames.
  [[nodiscard]] std::uint64_t received() const noexcept { return progress_.received(); }
  /// Frames overwritten in the transport.
  [[nodiscard]] std::uint64_t superseded() const noexcept { return receiver_.superseded(); }
  /// The touch count carried by the frame shown.
  [[nodiscard]] std::uint32_t touch() const noexcept { return progress_.touch(); }

 private:
  std::size_t show(std::size_t moved) noexcept {
    if (moved == 0) {
      fresh_.reset_all();
      return 0;
    }
    const std::span<const std::byte> bytes = receiver_.frame();
    const detail::ValueFrame<T> frame(bytes, values_.size());
    progress_.read(bytes);
    const std::uint64_t superseded = receiver_.superseded();
    if (moved > 1 || superseded != superseded_seen_) {  // the bitmaps of the skipped frames are unknown
      fresh_.set_all();
    } else {
      std::memcpy(fresh_.words().data(), frame.bitmap, fresh_.words().size_bytes());
    }
    superseded_seen_ = superseded;
    values_ = frame.values;
    return moved;
  }

  AnyReceiver receiver_;
  std::vector<T> initial_;
  std::span<const T> values_;
  detail::ChannelBitmap fresh_;
  detail::PackProgress progress_;
  std::uint64_t superseded_seen_ = 0;
};

}  // namespace laxity
