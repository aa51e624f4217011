// A block of the arrival benchmark and its results, measured or simulated.
//
// Threads: values. Elsewhere: the measurement (arrival_benchmark.hpp), the simulation (laxity/schedule/arrival_simulation.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

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

/// A call of one algorithm of a block under a pattern with delays.
struct DelayedCall {
  std::size_t algorithm = 0;  ///< index
  ArrivalPattern pattern;
};

/// Every algorithm under every pattern of the block with delays, and its custom patterns. `no_delay_s` has the last delay
/// without skew of each algorithm that takes part; the skews follow from them.
[[nodiscard]] std::vector<DelayedCall> delayed_calls(const ArrivalBlock& block, int processes,
                                                     const std::vector<double>& no_delay_s);

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
  std::vector<Repetition> repetitions{};  ///< the same on all processes
};

/// `cell` with one valid repetition of these times: a simulated call has the same times whenever it is repeated.
[[nodiscard]] ArrivalCell simulated_cell(ArrivalCell cell, double last_delay_us, double total_delay_us);

enum class Verdict {
  right,    ///< every process received the correct result
  refused,  ///< MPI returned an error: the algorithm does not support this number of processes or this size
  wrong,    ///< a process received a wrong result; the algorithm is not measured
};

struct BlockResult {
  std::vector<Verdict> verdicts;  ///< one for each algorithm of the block
  std::vector<ArrivalCell> cells;
};

}  // namespace laxity::collective
