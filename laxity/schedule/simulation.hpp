// Simulates a schedule on a machine: when every operation starts and ends, and when every rank is done.
//
// Model: LogGPS (machine.hpp). A send occupies the processor for o and its interface for g + (n - 1) G; the message
// arrives o + L + (n - 1) G after the send started. A receive starts when it is ready, matched, and processor and
// interface are free, and occupies them for o and g + (n - 1) G. A message above the eager limit first asks (L), waits
// until a receive matches, and is answered (L); its send completes when the last byte has left. A rank executes the
// operation that can start first; of several, the one that was ready first, then the one with the lowest number. A
// message matches the receive with its source and tag that was ready first; messages of one source and tag match in the
// order of their sends.
//
// Times are integers of picoseconds, so that a simulation gives the same times everywhere.
// Cost: for each operation a bounded number of events in a radix heap, which moves an event at most 64 times; about 40
// bytes besides the schedule.
// Threads: a simulation is a pure function.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "laxity/schedule/machine.hpp"
#include "laxity/schedule/schedule.hpp"

namespace laxity::schedule {

using Picoseconds = std::int64_t;

/// When an operation occupied its processor; the send of a message above the eager limit ends later.
struct OpTimes {
  Picoseconds start = -1;
  Picoseconds end = -1;
};

struct SimulationResult {
  std::vector<Picoseconds> exit;  ///< of every rank: end of its last operation, or its arrival if it has none
  std::vector<OpTimes> op_times;  ///< of the operations of rank 0, 1, ... in order; empty unless asked for
  Picoseconds last_exit = 0;
};

struct SimulationOptions {
  std::span<const double> arrival_s = {};  ///< when each rank begins, in seconds, >= 0; empty: all at 0
  bool op_times = false;
};

/// Throws UsageError if the machine is not valid, a peer is not a rank, or the arrivals are not one for each rank;
/// Error that names the first operation that can never start, if there is one (a cycle, or a message without its
/// counterpart).
[[nodiscard]] SimulationResult simulate(const Schedule& schedule, const Machine& machine,
                                        const SimulationOptions& options = {});

}  // namespace laxity::schedule
