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
// Elsewhere: algorithms (algorithms.hpp), calls (operation.hpp), synchronized start (laxity/clock/mpi_start.hpp), the
// table of results (laxity/collective/selection/arrival_table.hpp).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "laxity/clock/mpi_start.hpp"
#include "laxity/clock/mpi_sync.hpp"
#include "laxity/collective/benchmark/algorithms.hpp"
#include "laxity/collective/collective.hpp"
#include "laxity/collective/patterns/pattern_file.hpp"
#include "laxity/collective/patterns/skew.hpp"

namespace laxity::collective {

/// A block of the experiment: one collective at one size. Only measurements of one block are compared.
struct ArrivalBlock {
  Collective collective = Collective::reduce;
  std::size_t bytes = 8;              ///< as in Operation
  std::vector<Algorithm> algorithms;  ///< from LibraryAlgorithms::of(collective), or id 0, the library's own choice
  std::vector<Pattern> patterns;      ///< no_delay is always measured, and before the others
  std::vector<ArrivalPattern> custom_patterns;  ///< with one delay for each process
  std::vector<SkewPolicy> skews{{}};            ///< each pattern is measured at each of them
  std::uint64_t seed = 1;                       ///< of the pattern `random` and of the order of cells
};

struct ArrivalEffort {
  int repetitions = 30;          ///< valid repetitions of a cell
  double cell_budget_s = 0.3;    ///< wall time of a cell, after which it has fewer repetitions; but not fewer than a
                                 ///< choice needs, min_values_for_interval turns with a valid one
  int turns = 30;                ///< number of turns that share the repetitions of a cell
  double tolerance_us = 1;       ///< the smallest tolerance
  double tolerance_share = 0.2;  ///< of the length of the call and the skew, the tolerance if it is larger
};

/// One call by all processes.
struct Repetition {
  int turn = 0;        ///< from 0
  bool valid = false;  ///< the processes arrived in the pattern, within the tolerance
  double last_delay_us = 0;
  double total_delay_us = 0;
};

/// One algorithm under one pattern.
struct ArrivalCell {
  std::size_t algorithm = 0;  ///< index in ArrivalBlock::algorithms
  std::string pattern;
  double skew_us = 0;
  double tolerance_us = 0;  ///< largest difference between the lateness of two processes in a valid repetition
  std::vector<Repetition> repetitions;  ///< the same on all processes
};

enum class Verdict {
  right,    ///< every process received the correct result
  refused,  ///< MPI returned an error: the algorithm does not support this number of processes or this size
  wrong,    ///< a process received a wrong result; the algorithm is not measured
};

struct BlockResult {
  std::vector<Verdict> verdicts;  ///< one for each algorithm of the block
  std::vector<ArrivalCell> cells;
};

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
