// What the two ends of a packing count of their channels: every put and every message, so that each lost one is charged
// to its channel.
//
// Invariants, of each channel and of their sums: attempted = refused + superseded (here) + waiting + sent;
//   sent = received + superseded (in transit, or lost) + in flight.
// Threads: one thread owns each end.
// Elsewhere: where the sums go (metrics/counters.hpp), the packings (pooled_channels.hpp, aggregated_channels.hpp,
//   accumulating_channels.hpp).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "laxity/channel/damaged_frame.hpp"
#include "laxity/channel/pack_header.hpp"
#include "laxity/metrics/observation.hpp"

namespace laxity {

namespace detail {

/// One bit per channel.
class ChannelBitmap {
 public:
  explicit ChannelBitmap(std::size_t channels) : words_(words_for(channels)) {}
  [[nodiscard]] static constexpr std::size_t words_for(std::size_t channels) noexcept { return (channels + 63) / 64; }

  [[nodiscard]] bool test(std::size_t i) const noexcept { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  void set(std::size_t i) noexcept { words_[i / 64] |= 1ULL << (i % 64); }
  void reset(std::size_t i) noexcept { words_[i / 64] &= ~(1ULL << (i % 64)); }
  void set_all() noexcept { std::ranges::fill(words_, ~0ULL); }
  void reset_all() noexcept { std::ranges::fill(words_, 0); }
  [[nodiscard]] std::size_t count() const noexcept {
    std::size_t bits = 0;
    for (const std::uint64_t word : words_) bits += static_cast<std::size_t>(std::popcount(word));
    return bits;
  }

  [[nodiscard]] std::span<const std::uint64_t> words() const noexcept { return words_; }

 private:
  std::vector<std::uint64_t> words_;
};

/// Calls visit(channel) for each bit of the bitmap of a frame. Throws DamagedFrame for a bit beyond the channels.
template <class Visit>
void for_each_channel(const std::byte* bitmap, std::size_t channels, Visit&& visit) {
  for (std::size_t word = 0; word < ChannelBitmap::words_for(channels); ++word) {
    std::uint64_t bits;
    std::memcpy(&bits, bitmap + 8 * word, sizeof bits);
    for (; bits != 0; bits &= bits - 1) {
      const std::size_t channel = 64 * word + static_cast<std::size_t>(std::countr_zero(bits));
      if (channel >= channels) [[unlikely]]
        fail_frame("channel " + std::to_string(channel) + " of " + std::to_string(channels));
      visit(channel);
    }
  }
}

/// The puts of an inlet with many channels.
class PutCounts {
 public:
  explicit PutCounts(std::size_t channels) : of_channel_(channels) {}

  [[nodiscard]] std::size_t channels() const noexcept { return of_channel_.size(); }
  void attempt(std::size_t i) noexcept { ++of_channel_[i].attempted, ++total_.attempted; }
  void refuse(std::size_t i) noexcept { ++of_channel_[i].refused, ++total_.refused; }
  void supersede(std::size_t i) noexcept { ++of_channel_[i].superseded, ++total_.superseded; }

  [[nodiscard]] const InletObservation& of_channel(std::size_t i) const { return of_channel_.at(i); }
  [[nodiscard]] const InletObservation& total() const noexcept { return total_; }

 private:
  std::vector<InletObservation> of_channel_;
  InletObservation total_;
};

}  // namespace detail

/// What an outlet with many channels has received.
class PackArrivals {
 public:
  explicit PackArrivals(std::size_t channels) : of_channel_(channels), laden_(channels) {}

  /// Messages received, all channels together, including those that a pull has passed over.
  [[nodiscard]] std::uint64_t received() const noexcept { return received_; }
  /// Messages received of one channel. Accumulating channels merge puts, and count the frames that carry something.
  [[nodiscard]] std::uint64_t received(std::size_t i) const { return of_channel_.at(i); }
  /// Messages sent before the newest that has arrived, which have not arrived: overwritten in transit, or lost on an
  /// impaired link. If that link reorders frames, the count decreases when they arrive late.
  [[nodiscard]] std::uint64_t superseded() const noexcept { return sent_ - received_; }
  /// The number of channels that have received a message in the last pull.
  [[nodiscard]] std::size_t laden_channels() const noexcept { return laden_.count(); }
  [[nodiscard]] bool is_laden(std::size_t i) const noexcept { return laden_.test(i); }
  /// The touch count carried by the last frame.
  [[nodiscard]] std::uint32_t touch() const noexcept { return touch_; }

  /// The functions of the outlet.
  void begin_pull() noexcept { laden_.reset_all(); }
  /// Reads the header of a frame that is not shorter. A frame that arrives out of order does not lower the count of
  /// messages.
  void read(std::span<const std::byte> frame) noexcept {
    PackHeader header;
    std::memcpy(&header, frame.data(), sizeof header);
    sent_ = std::max(sent_, whole_count(sent_, header.messages));
    touch_ = header.touch;
  }
  void count(std::size_t i) noexcept { mark(i), ++received_; }
  /// For frames of which only the header knows the number of messages, on a lossless transport.
  void mark(std::size_t i) noexcept { laden_.set(i), ++of_channel_[i]; }
  void count_all_sent() noexcept { received_ = sent_; }

 private:
  std::vector<std::uint64_t> of_channel_;
  detail::ChannelBitmap laden_;  // of the last pull
  std::uint64_t received_ = 0;
  std::uint64_t sent_ = 0;  // as the headers say
  std::uint32_t touch_ = 0;
};

}  // namespace laxity
