// One run of graph coloring with all workers in one thread and in virtual time, replayed bit by bit from a seed.
//
// Shows what a program tolerates: links may lose, delay, reorder and hold back frames, and workers may be slow. Equal options
// repeat the run, so any failure can be investigated.
// Invariants: the result does not depend on the clock, the load or the number of processors of the machine.
// Threads: one.
// Elsewhere: the order of updates and the faulty links (laxity/mesh/replay.hpp), runs in real time (coloring_run.hpp).
#pragma once

#include <cstdint>
#include <functional>

#include "laxity/mesh/replay.hpp"
#include "workloads/coloring/coloring_run.hpp"

namespace laxity {

struct ReplayedColoringResult {
  ColoringResult coloring;           ///< all times are virtual
  std::uint64_t frames_sent = 0;     ///< frames accepted by links between workers
  std::uint64_t frames_refused = 0;  ///< frames refused by full links
  std::uint64_t frames_lost = 0;     ///< frames lost, of those sent
  /// Digest of the final colors, the updates of every worker and the counters of every link: equal for equal runs.
  std::uint64_t digest = 0;
};

/// Runs for run.duration_ns of virtual time; snapshots are taken in virtual time, too. Modes with barriers cannot be replayed.
/// `replay` has the faults and the periods; its number of workers must be that of the partition. `progress` is called about
/// a hundred times with the fraction done. Throws UsageError if the options contradict each other.
[[nodiscard]] ReplayedColoringResult run_replayed_coloring(const ColoringRun& run, const ReplayOptions& replay,
                                                           const std::function<void(double)>& progress = {});

/// Throws UsageError as run_replayed_coloring() would, without a run.
void check(const ColoringRun& run, const ReplayOptions& replay);

}  // namespace laxity
