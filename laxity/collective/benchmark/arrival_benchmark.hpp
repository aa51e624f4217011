// Measures all algorithms of a collective under arrival patterns, in one launch of the MPI program.
//
// Source: Salimi Beni, Cosenza and Hunold, listing 1: synchronized start, delay of the process, call.
// Invariants: the cells of a block are measured in several turns, each in a random order that all processes share, so that
// a change of the machine's speed affects all cells alike. A repetition in which a process arrived late is marked as
// invalid and kept.
// Threads: one thread per process.
// Elsewhere: algorithms (algorithms.hpp), calls (operation.hpp), synchronized start (laxity/clock/mpi_start.hpp), the table
// of results (laxity/collective/selection/arrival_table.hpp).
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
  SkewPolicy skew;
  std::uint64_t seed = 1;  ///< of the pattern `random` and of the order of cells
};

/// A process may arrive tolerance_us + tolerance_share × skew after its due time in a valid repetition.
struct ArrivalEffort {
  int repetitions = 30;        ///< valid repetitions of a cell
  double cell_budget_s = 0.3;  ///< wall time of a cell, after which it has fewer repetitions
  int turns = 3;               ///< number of turns that share the repetitions of a cell
  double tolerance_us = 50;
  double tolerance_share = 0.1;
};

/// One call by all processes.
struct Repetition {
  bool valid = false;  ///< every process was ready before the start and arrived within the tolerance
  double last_delay_us = 0;
  double total_delay_us = 0;
};

/// One algorithm under one pattern.
struct ArrivalCell {
  std::size_t algorithm = 0;  ///< index in ArrivalBlock::algorithms
  std::string pattern;
  double skew_us = 0;
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

  /// Collective over `comm`, whose processes are synchronized to the clock `global`. `library` must outlive this object.
  ArrivalBenchmark(MPI_Comm comm, const GlobalClock& global, const LibraryAlgorithms& library,
                   const StartOptions& start = {});

  /// Collective. Verifies each algorithm and measures those that are right. Throws UsageError if a custom pattern has
  /// another number of processes, and Error if no algorithm can be forced.
  [[nodiscard]] BlockResult measure(const ArrivalBlock& block, const ArrivalEffort& effort,
                                    const Progress& progress = {});

  [[nodiscard]] Waiting waiting() const noexcept { return timed_.waiting(); }

 private:
  MPI_Comm comm_;
  int rank_ = 0, processes_ = 1;
  const LibraryAlgorithms& library_;
  TimedStart<GlobalClock> timed_;
};

}  // namespace laxity::collective
