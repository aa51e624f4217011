// Accumulating channels: messages of a channel merge until they are taken, so their total is conserved exactly,
// whatever is refused or delayed.
//
// Frame: PackHeader, a bitmap of the channels that carry something, a value per channel (value_frame.hpp).
// Invariants: merged(put) = merged(waiting) + merged(in flight) + merged(received, not taken) + merged(taken), at every
//   moment. Requires a lossless transport. A pull merges every frame it passes, so jump() loses nothing.
// Threads: one thread owns each end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "laxity/channel/codec.hpp"
#include "laxity/channel/pack_counts.hpp"
#include "laxity/channel/pack_header.hpp"
#include "laxity/channel/value_frame.hpp"
#include "laxity/channel/wait.hpp"
#include "laxity/check.hpp"
#include "laxity/error.hpp"
#include "laxity/metrics/observation.hpp"
#include "laxity/transport/any_transport.hpp"

namespace laxity {

namespace detail {

/// One sum per channel; a channel without a sum reads as T{}.
template <FixedPayload T, class Merge>
class ChannelSums {
 public:
  ChannelSums(std::size_t channels, Merge merge) : merge_(merge), sums_(channels), present_(channels) {}

  void add(std::size_t i, const T& value) noexcept {
    sums_[i] = present_.test(i) ? merge_(sums_[i], value) : value;
    present_.set(i);
  }
  [[nodiscard]] T get(std::size_t i) const noexcept { return present_.test(i) ? sums_[i] : T{}; }
  T take(std::size_t i) noexcept {
    const T taken = get(i);
    present_.reset(i);
    return taken;
  }
  void clear() noexcept { present_.reset_all(); }

  [[nodiscard]] std::span<const T> values() const noexcept { return sums_; }
  [[nodiscard]] const ChannelBitmap& present() const noexcept { return present_; }

 private:
  [[no_unique_address]] Merge merge_;
  std::vector<T> sums_;
  ChannelBitmap present_;
};

}  // namespace detail

/// T with an associative, commutative Merge; T{} is its neutral element.
template <FixedPayload T, class Merge = std::plus<>>
class AccumulatingInlet {
 public:
  AccumulatingInlet(AnySender sender, std::size_t channels, Merge merge = {})
      : sender_(std::move(sender)), sums_(channels, merge) {
    if (channels == 0) return;
    if (!sender_.is_lossless())
      throw UsageError("accumulating channels need a lossless transport: use overflow drop_newest");
    LAXITY_CHECK(sender_.frame_capacity() >= value_frame_bytes<T>(channels));
  }

  [[nodiscard]] std::size_t channels() const noexcept { return sums_.values().size(); }

  /// Merges a message into what channel i sends next. Always accepted.
  void put(std::size_t i, const T& message) noexcept {
    sums_.add(i, message);
    ++merged_;
  }

  /// Publishes what has accumulated, if anything. False: refused, messages go on accumulating.
  bool try_flush(std::uint32_t touch = 0) noexcept {
    if (merged_ == 0) return true;
    const PackHeader header{touch, static_cast<std::uint32_t>(sent_ + merged_)};
    if (!detail::try_publish_values<T>(sender_, header, sums_.present(), sums_.values())) return false;
    sent_ += std::exchange(merged_, 0);
    sums_.clear();
    return true;
  }
  /// Blocks until what has accumulated is published.
  void flush(std::uint32_t touch = 0) {
    detail::wait_until([&] { return try_flush(touch); });
  }

  /// What channel i has accumulated since the last frame; T{} if nothing.
  [[nodiscard]] T waiting(std::size_t i) const noexcept { return sums_.get(i); }
  [[nodiscard]] std::uint64_t waiting() const noexcept { return merged_; }  ///< puts since the last frame
  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }       ///< puts merged into frames that were sent
  /// The puts of all channels together; none is ever lost.
  [[nodiscard]] InletObservation counts() const noexcept { return {.attempted = sent_ + merged_}; }

 private:
  AnySender sender_;
  detail::ChannelSums<T, Merge> sums_;
  std::uint64_t merged_ = 0;
  std::uint64_t sent_ = 0;
};

template <FixedPayload T, class Merge = std::plus<>>
class AccumulatingOutlet {
 public:
  AccumulatingOutlet(AnyReceiver receiver, std::size_t channels, Merge merge = {})
      : receiver_(std::move(receiver)), sums_(channels, merge), arrivals_(channels) {}

  [[nodiscard]] std::size_t channels() const noexcept { return sums_.values().size(); }

  /// Merges the next frame. Returns the number of frames merged: 0 or 1. Throws DamagedFrame.
  std::size_t try_step() { return pull(1); }

  /// Merges every frame that has arrived, at most max_frames_per_pull. Returns their number. Throws DamagedFrame.
  std::size_t jump() { return pull(max_frames_per_pull); }

  /// What has arrived on channel i since the last take(); T{} if nothing.
  [[nodiscard]] T get(std::size_t i) const noexcept { return sums_.get(i); }

  /// Returns get(i) and resets the channel to T{}.
  T take(std::size_t i) noexcept { return sums_.take(i); }

  [[nodiscard]] const PackArrivals& arrivals() const noexcept { return arrivals_; }

  static constexpr std::size_t max_frames_per_pull = 4096;

 private:
  std::size_t pull(std::size_t limit) {
    arrivals_.begin_pull();
    std::size_t moved = 0;
    for (; moved < limit && receiver_.try_step(1) != 0; ++moved) merge_frame();
    return moved;
  }

  void merge_frame() {
    const std::span<const std::byte> bytes = receiver_.frame();
    const detail::ValueFrame<T> frame(bytes, channels());
    arrivals_.read(bytes);
    arrivals_.count_all_sent();  // a lossless transport overwrites nothing
    detail::for_each_channel(frame.bitmap, channels(), [&](std::size_t i) {
      arrivals_.mark(i);
      sums_.add(i, frame.values[i]);
    });
  }

  AnyReceiver receiver_;
  detail::ChannelSums<T, Merge> sums_;
  PackArrivals arrivals_;
};

}  // namespace laxity
