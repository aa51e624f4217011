// Measures all algorithms of a collective under arrival patterns, in one launch of the MPI program.
//
// Source: Salimi Beni, Cosenza and Hunold, listing 1: synchronized start, delay of the process, call.
// A repetition is valid if the processes arrived in the pattern, whether or not the start was late: the lateness of any
// two differs by no more than a fraction of the length of the call and the skew. The length is that of an unhurried
// call, the median of all algorithms in a few calls beforehand, so that the tolerance is the same for all algorithms of
// a block.
// Invariants: the cells of a block are measured in several turns, each in a random order that all processes share, so
// that a change of the machine's speed affects all cells alike. Repetitions that are not valid are marked and kept.
// Threads: one thread per process.
// Elsewhere: what is measured and its results (arrival_block.hpp), algorithms (algorithms.hpp), calls (operation.hpp), synchronized start (laxity/clock/mpi_start.hpp), the
// table of results (laxity/collective/selection/arrival_table.hpp).
#pragma once

#include <mpi.h>

#include <functional>

#include "laxity/clock/mpi_start.hpp"
#include "laxity/clock/mpi_sync.hpp"
#include "laxity/collective/benchmark/algorithms.hpp"
#include "laxity/collective/benchmark/arrival_block.hpp"

namespace laxity::collective {

class ArrivalBenchmark {
 public:
  /// Called on all processes with the completed fraction of the block, in [0, 1].
  using Progress = std::function<void(double)>;

  /// Collective over `comm`, whose processes are synchronized to the clock `global`. `library` must outlive this
  /// object.
  ArrivalBenchmark(MPI_Comm comm, const GlobalClock& global, const LibraryAlgorithms& library,
                   const StartOptions& start = {});

  /// Collective. Verifies each algorithm and measures those that are right. Throws UsageError if a custom pattern has
  /// another number of processes, and Error if no algorithm can be forced.
  [[nodiscard]] BlockResult measure(const ArrivalBlock& block, const ArrivalEffort& effort,
                                    const Progress& progress = {});

  [[nodiscard]] DeadlineWait waiting() const noexcept { return timed_.waiting(); }

 private:
  MPI_Comm comm_;
  int rank_ = 0, processes_ = 1;
  const LibraryAlgorithms& library_;
  TimedStart<GlobalClock> timed_;
};

}  // namespace laxity::collective
