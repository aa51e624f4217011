// One run of graph coloring with all its workers in one thread and in virtual time, replayed bit by bit from a seed.
//
// What it is for: what a program tolerates. Links may lose, delay, reorder and hold back frames, and workers may be
// slow; the same options give the same run again, so whatever went wrong can be looked at.
// Invariants: nothing in the result depends on the machine's clock, its load or its number of processors.
// Threads: one.
// Elsewhere: the order of updates and the faulty links (laxity/mesh/replay.hpp), runs in real time
// (coloring_run.hpp).
#pragma once

#include <cstdint>
#include <functional>

#include "laxity/mesh/replay.hpp"
#include "workloads/coloring/coloring_run.hpp"

namespace laxity {

struct ReplayedColoringResult {
  ColoringResult coloring;           ///< all times are virtual
  std::uint64_t frames_sent = 0;     ///< that links between workers accepted
  std::uint64_t frames_refused = 0;  ///< by links whose buffer was full
  std::uint64_t frames_lost = 0;     ///< of those sent
  /// Of the final colors, the updates of every worker and the counters of every link: equal for equal runs.
  std::uint64_t digest = 0;
};

/// Runs for run.duration_ns of virtual time; snapshots are taken in virtual time too. Modes with barriers cannot be
/// simulated. `simulation` has the faults and the pace; its workers must be those of the partition. `progress` is called
/// about a hundred times with the fraction done. Throws UsageError if the options contradict each other.
[[nodiscard]] ReplayedColoringResult run_replayed_coloring(const ColoringRun& run, const ReplayOptions& simulation,
                                                           const std::function<void(double)>& progress = {});

/// Throws UsageError as run_replayed_coloring() would, and runs nothing.
void check(const ColoringRun& run, const ReplayOptions& simulation);

}  // namespace laxity
