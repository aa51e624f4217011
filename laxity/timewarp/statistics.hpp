// The counts of a run, by worker or summed over all workers. Elsewhere: the results of a run (result.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace laxity::timewarp {

struct Statistics {
  std::uint64_t committed = 0;            ///< events committed
  std::uint64_t processed = 0;            ///< events processed, those that were rolled back later included
  std::uint64_t rolled_back = 0;          ///< events rolled back
  std::uint64_t coasted = 0;              ///< events processed again in coast forward (state_saving.hpp)
  std::uint64_t primary_rollbacks = 0;    ///< caused by a straggler
  std::uint64_t secondary_rollbacks = 0;  ///< caused by a canceled event
  std::uint64_t anti_messages = 0;        ///< sent to other workers; one cancels several events
  std::uint64_t remote_events = 0;        ///< sent to other workers
  std::uint64_t shared_events = 0;        ///< sent to other workers without a copy, those of init() included
  std::uint64_t local_events = 0;         ///< sent to logical processes of the same worker
  std::uint64_t throttled = 0;            ///< turns in which the time window or memory held back the next event
  std::uint64_t gvt_rounds = 0;
  std::uint64_t peak_events = 0;  ///< largest number of event records in use, stubs of remote events included

  std::uint64_t throttled_for_memory = 0;  ///< those of `throttled` in which memory was short, here or elsewhere
  std::uint64_t peak_bytes = 0;            ///< largest number of bytes in use for events (WorkerOptions::max_memory)

  /// Share of processed events that were committed, in [0, 1]; 1 if none was processed.
  [[nodiscard]] double efficiency() const noexcept {
    return processed == 0 ? 1.0 : static_cast<double>(committed) / static_cast<double>(processed);
  }

  Statistics& operator+=(const Statistics& other) noexcept {
    committed += other.committed;
    processed += other.processed;
    rolled_back += other.rolled_back;
    coasted += other.coasted;
    primary_rollbacks += other.primary_rollbacks;
    secondary_rollbacks += other.secondary_rollbacks;
    anti_messages += other.anti_messages;
    remote_events += other.remote_events;
    shared_events += other.shared_events;
    local_events += other.local_events;
    throttled += other.throttled;
    gvt_rounds = std::max(gvt_rounds, other.gvt_rounds);
    peak_events += other.peak_events;
    throttled_for_memory += other.throttled_for_memory;
    peak_bytes += other.peak_bytes;
    return *this;
  }
};

/// The sum over all workers.
[[nodiscard]] inline Statistics total_of(std::span<const Statistics> workers) noexcept {
  Statistics total;
  for (const Statistics& worker : workers) total += worker;
  return total;
}

}  // namespace laxity::timewarp
