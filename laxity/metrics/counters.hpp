// Always-on counters of the two ends of a channel or link: one writer each, any thread or process may read at any time.
//
// They hold no pointers, because they lie in memory that other processes map.
// Elsewhere: one count (counter.hpp), the table that holds them (counter_table.hpp), what is computed from them
// (quality_of_service.hpp).
#pragma once

#include "laxity/metrics/counter.hpp"

namespace laxity {

/// Written by the sending worker. accepted = attempted - refused. Channels that share frames are counted one by one and
/// summed, except those of a StateLayer: their messages travel together, so a frame counts as one message.
struct alignas(64) InletCounters {
  Counter attempted;   ///< puts
  Counter refused;     ///< puts lost because the buffer was full
  Counter superseded;  ///< accepted puts replaced by a newer one of the same channel before they left
  Counter unchanged;   ///< puts omitted because the value had not changed (send_on_change)
};

/// Written by the receiving worker. The counts are separate so that a common pull, of one message or none, advances
/// only one of them.
struct alignas(64) OutletCounters {
  Counter empty;        ///< pulls without a message
  Counter laden;        ///< pulls with at least one message
  Counter passed_over;  ///< messages received by laden pulls beyond the newest
  Counter superseded;   ///< messages that newer ones have overwritten in transit
  Counter touches;      ///< touch count of the channel pair: 1 + the count carried by the last message
  Counter timed;        ///< messages whose one-way latency was measured (mesh/message_timing.hpp)
  Counter one_way_ns;   ///< sum of these latencies; one that is negative, by the error of clocks, wraps around

  /// Counts a pull of `messages` messages.
  void count_pull(std::uint64_t messages) noexcept {
    if (messages == 0) return empty.add();
    laden.add();
    if (messages != 1) passed_over.add(messages - 1);
  }
  /// Attempts to receive.
  [[nodiscard]] std::uint64_t pulls() const noexcept { return empty.read() + laden.read(); }
  /// Messages received, including those passed over by a jump to the newest.
  [[nodiscard]] std::uint64_t received() const noexcept { return laden.read() + passed_over.read(); }
};

}  // namespace laxity
