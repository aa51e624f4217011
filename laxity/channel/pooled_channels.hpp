// Pooled channels: many channels between the same two workers share one frame per update, with a slot for each.
//
// Source: Moreno et al., Conduit (2021), section 2, "pooling"; here a channel that skips a round does not delay the
// others.
// Frame: PackHeader, a bitmap of the channels that were put to, the newest value of every channel (value_frame.hpp).
// Invariants: a frame carries the newest value of every channel, so a lost or skipped frame loses no value, only the
//   information which channels were put to; after a refusal the values go with the next frame; a message is lost only
//   when a newer one of its channel replaces it. It is counted on that channel: as refused if a full buffer had refused
//   it, as superseded otherwise.
// Threads: one thread owns each end.
// Elsewhere: messages of variable number or size (aggregated_channels.hpp), messages that merge
//   (accumulating_channels.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "laxity/channel/codec.hpp"
#include "laxity/channel/pack_counts.hpp"
#include "laxity/channel/pack_header.hpp"
#include "laxity/channel/value_frame.hpp"
#include "laxity/channel/wait.hpp"
#include "laxity/check.hpp"
#include "laxity/metrics/observation.hpp"
#include "laxity/transport/any_transport.hpp"

namespace laxity {

/// The sending end of `channels` pooled channels. With no channels the sender may be empty.
template <FixedPayload T>
class PooledInlet {
 public:
  PooledInlet(AnySender sender, std::size_t channels, T initial = T{})
      : sender_(std::move(sender)),
        values_(channels, initial),
        fresh_(channels),
        refused_(channels),
        counts_(channels) {
    LAXITY_CHECK(channels == 0 || sender_.frame_capacity() >= value_frame_bytes<T>(channels));
  }

  [[nodiscard]] std::size_t channels() const noexcept { return values_.size(); }

  /// Sets the value that channel `i` sends with the next frame. A value that still waits is replaced.
  void put(std::size_t i, const T& message) noexcept {
    counts_.attempt(i);
    if (!fresh_.test(i)) {
      fresh_.set(i);
      ++waiting_;
    } else if (refused_.test(i)) {
      counts_.refuse(i);
      refused_.reset(i);
    } else {
      counts_.supersede(i);
    }
    values_[i] = message;
  }

  /// Publishes the values of all channels as one frame, if any channel was put to. False: refused, the values wait.
  bool try_flush(std::uint32_t touch = 0) noexcept {
    if (waiting_ == 0) return true;
    const PackHeader header{touch, static_cast<std::uint32_t>(sent_ + waiting_)};
    if (!detail::try_publish_values<T>(sender_, header, fresh_, values_)) {
      refused_ = fresh_;
      return false;
    }
    sent_ += std::exchange(waiting_, 0);
    fresh_.reset_all();
    refused_.reset_all();
    return true;
  }
  /// Blocks until the values of all channels that were put to are published.
  void flush(std::uint32_t touch = 0) {
    detail::wait_until([&] { return try_flush(touch); });
  }

  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }  ///< channels put to since the last frame
  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }      ///< channel messages sent in frames
  /// The puts of channel i. Refused are those that a full buffer kept from leaving until a newer one replaced them.
  [[nodiscard]] const InletObservation& counts(std::size_t i) const { return counts_.of_channel(i); }
  /// The same of all channels together.
  [[nodiscard]] const InletObservation& counts() const noexcept { return counts_.total(); }

 private:
  AnySender sender_;
  std::vector<T> values_;
  detail::ChannelBitmap fresh_;    // put to since the last frame that was accepted
  detail::ChannelBitmap refused_;  // of these: the values that a flush has failed to send
  std::size_t waiting_ = 0;
  std::uint64_t sent_ = 0;
  detail::PutCounts counts_;
};

/// The receiving end. A pull moves all channels together.
template <FixedPayload T>
class PooledOutlet {
 public:
  PooledOutlet(AnyReceiver receiver, std::size_t channels, T initial = T{})
      : receiver_(std::move(receiver)), initial_(channels, initial), values_(initial_), arrivals_(channels) {}

  [[nodiscard]] std::size_t channels() const noexcept { return values_.size(); }

  /// Shows the next frame. Returns the number of frames moved: 0 or 1. Throws DamagedFrame.
  std::size_t try_step() { return pull(1); }

  /// Shows the newest frame, after at most max_frames_per_pull. Returns the number of frames moved. Throws
  /// DamagedFrame.
  std::size_t jump() { return pull(max_frames_per_pull); }

  [[nodiscard]] const T& get(std::size_t i) const noexcept { return values_[i]; }

  /// The newest value of every channel, in place; valid until the next pull that moves.
  [[nodiscard]] std::span<const T> values() const noexcept { return values_; }

  /// Whether channel `i` was put to since the pull before. May be true without a put if frames were overwritten or
  /// lost.
  [[nodiscard]] bool fresh(std::size_t i) const noexcept { return missed_frames_ || arrivals_.is_laden(i); }

  [[nodiscard]] const PackArrivals& arrivals() const noexcept { return arrivals_; }

  /// Bounds a pull, so that a fast sender cannot keep the reader busy forever.
  static constexpr std::size_t max_frames_per_pull = 4096;

 private:
  // Reads every frame that it passes, because each tells which of its values are messages.
  std::size_t pull(std::size_t limit) {
    const std::uint64_t superseded = arrivals_.superseded();
    arrivals_.begin_pull();
    std::size_t moved = 0;
    for (; moved < limit && receiver_.try_step(1) != 0; ++moved) {
      const std::span<const std::byte> bytes = receiver_.frame();
      const detail::ValueFrame<T> frame(bytes, values_.size());
      arrivals_.read(bytes);
      detail::for_each_channel(frame.bitmap, values_.size(), [this](std::size_t i) { arrivals_.count(i); });
      values_ = frame.values;
    }
    missed_frames_ = arrivals_.superseded() != superseded;
    return moved;
  }

  AnyReceiver receiver_;
  std::vector<T> initial_;
  std::span<const T> values_;
  PackArrivals arrivals_;
  bool missed_frames_ = false;  // the last pull has shown that frames are missing, whose bitmaps are unknown
};

}  // namespace laxity
