// The order of events, the same in every mode: (receive time, priority, sender, per-sender sequence) in 16 bytes.
//
// Times are represented by unsigned integers of the same order, such as the bit pattern of a double that is not
// negative. An event that is sent without delay gets a higher priority than the event that sent it, so
// that an event always orders before everything it causes.
//
// Invariants: keys of different events differ; a run of n logical processes gives the same event the same key in every
// mode. Elsewhere: who assigns keys (context.hpp), queues of keys (pending_event.hpp).
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace laxity::timewarp {

/// Logical processes are numbered 0 ... n - 1.
using LpId = std::uint32_t;

/// Events of one time are handled in increasing priority.
using Priority = std::uint16_t;

struct Key {
  std::uint64_t time = 0;  ///< the receive time's bits, see TimeBits
  std::uint64_t tie = 0;   ///< priority, sender and sequence, see TieLayout

  [[nodiscard]] Priority priority() const noexcept { return static_cast<Priority>(tie >> 48); }
  /// The least key of this time and priority. Values of global virtual time are instants.
  [[nodiscard]] Key instant() const noexcept { return {time, tie >> 48 << 48}; }

  /// The least key of the next instant.
  [[nodiscard]] Key after_instant() const noexcept {
    return priority() == 0xffff ? Key{time + 1, 0} : Key{time, ((tie >> 48) + 1) << 48};
  }

  friend bool operator==(const Key&, const Key&) = default;
  friend bool operator<(const Key& a, const Key& b) noexcept {
    return a.time != b.time ? a.time < b.time : a.tie < b.tie;
  }
};

/// Before every event, and after every event.
inline constexpr Key earliest_key{0, 0};
inline constexpr Key latest_key{std::numeric_limits<std::uint64_t>::max(), std::numeric_limits<std::uint64_t>::max()};

/// The bits of a tie: priority (16 bits), then sender and sequence (48 bits together). The fewer logical processes a
/// model has, the more bits are left for the sequence.
class TieLayout {
 public:
  explicit TieLayout(LpId logical_processes) noexcept
      : sequence_bits_(48 - static_cast<int>(std::bit_width(logical_processes == 0 ? 0U : logical_processes - 1))) {}

  [[nodiscard]] std::uint64_t tie(Priority priority, LpId sender, std::uint64_t sequence) const noexcept {
    return static_cast<std::uint64_t>(priority) << 48 | static_cast<std::uint64_t>(sender) << sequence_bits_ | sequence;
  }
  [[nodiscard]] LpId sender(std::uint64_t tie) const noexcept {
    return static_cast<LpId>((tie << 16 >> 16) >> sequence_bits_);
  }
  [[nodiscard]] std::uint64_t sequence(std::uint64_t tie) const noexcept {
    return tie & ((std::uint64_t{1} << sequence_bits_) - 1);
  }
  /// Sequences count 0 ... max_sequences() - 1: at least 65536 sends of each of 2^32 processes, 2^38 of each of 1000.
  [[nodiscard]] std::uint64_t max_sequences() const noexcept { return std::uint64_t{1} << sequence_bits_; }

 private:
  int sequence_bits_;
};

/// Times as integers of the same order. A model's Time is double (0 and up) or std::int64_t (0 and up).
template <class Time>
struct TimeBits;

template <>
struct TimeBits<double> {
  [[nodiscard]] static std::uint64_t of(double time) noexcept { return std::bit_cast<std::uint64_t>(time); }
  [[nodiscard]] static double time(std::uint64_t bits) noexcept { return std::bit_cast<double>(bits); }
  static constexpr double latest = std::numeric_limits<double>::infinity();
};

template <>
struct TimeBits<std::int64_t> {
  [[nodiscard]] static std::uint64_t of(std::int64_t time) noexcept { return static_cast<std::uint64_t>(time); }
  [[nodiscard]] static std::int64_t time(std::uint64_t bits) noexcept { return static_cast<std::int64_t>(bits); }
  static constexpr std::int64_t latest = std::numeric_limits<std::int64_t>::max();
};

}  // namespace laxity::timewarp
