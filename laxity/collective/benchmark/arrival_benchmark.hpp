// Measuring a collective under arrival patterns: all algorithms of the running MPI, in one launch.
//
// Source: Salimi Beni, Cosenza and Hunold, listing 1: start in time, wait for one's own delay, call. Invariants: what is
// compared is measured in turns, in a shuffled order that is the same on all processes, so that a change of the machine's
// speed meets all; a repetition for which some process came late is flagged, never dropped. Threads: one of each process.
// Elsewhere: the algorithms (algorithms.hpp), the calls (operation.hpp), the start (laxity/clock/mpi_start.hpp), the
// table that holds the results (arrival_table.hpp).
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

/// What is measured of one collective at one size.
struct ArrivalBlock {
  Collective collective = Collective::reduce;
  std::size_t bytes = 8;              ///< as in Operation
  std::vector<Algorithm> algorithms;  ///< of LibraryAlgorithms::of(collective), or id 0: the library decides
  std::vector<Pattern> patterns;      ///< no_delay is measured in any case, and first
  std::vector<ArrivalPattern> given;  ///< patterns with delays of their own, one delay for each process
  SkewPolicy skew;
  std::uint64_t seed = 1;  ///< of the random pattern and of the order of cells
};

struct ArrivalEffort {
  int repetitions = 30;          ///< valid ones of a cell, if its budget allows
  double cell_budget_s = 0.3;    ///< wall time of a cell; it is left with fewer repetitions after it
  int turns = 3;                 ///< into which the repetitions of a cell are divided
  double tolerance_us = 50;      ///< by which a process may arrive after its time, and
  double tolerance_share = 0.1;  ///< this share of the skew
};

/// One call, over all processes.
struct Repetition {
  bool valid = false;  ///< every process was in time for the start and arrived when it should
  double last_delay_us = 0;
  double total_delay_us = 0;
};

/// One algorithm under one pattern.
struct ArrivalCell {
  std::size_t algorithm = 0;  ///< its place in ArrivalBlock::algorithms
  std::string pattern;
  double skew_us = 0;
  std::vector<Repetition> repetitions;  ///< the same on all processes
};

enum class Verdict {
  right,    ///< every process got what it should
  refused,  ///< MPI answered with an error: not for this number of processes or this size
  wrong,    ///< some process got something else; the algorithm is not measured
};

struct BlockResult {
  std::vector<Verdict> verdicts;  ///< of the algorithms, in their order
  std::vector<ArrivalCell> cells;
};

class ArrivalBenchmark {
 public:
  /// Told the share of the block that is done, in [0, 1], on all processes.
  using Progress = std::function<void(double)>;

  /// Collective over `comm`, whose processes share the clock `global`. `library` must outlive this object.
  ArrivalBenchmark(MPI_Comm comm, const GlobalClock& global, const LibraryAlgorithms& library,
                   const StartOptions& start = {});

  /// Collective. Verifies each algorithm, then measures it. Throws UsageError if a given pattern has another number of
  /// processes; Error if nothing can be forced.
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
