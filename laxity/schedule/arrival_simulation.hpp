// Simulates all algorithms of a collective under arrival patterns: the counterpart of the benchmark on a running MPI.
//
// Source: Salimi Beni, Cosenza and Hunold, III: the last delay of every algorithm under every pattern, at a number of
// ranks that no machine at hand has.
// Invariants: the same times for any number of threads, since a cell does not depend on another one but for its skew.
// Threads: one calls; the cells are simulated by as many as are asked for.
// Elsewhere: the simulation of one call (simulation.hpp), the measurement (laxity/collective/benchmark/).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "laxity/collective/patterns/pattern_file.hpp"
#include "laxity/collective/patterns/skew.hpp"
#include "laxity/schedule/collective_schedule.hpp"
#include "laxity/schedule/machine.hpp"

namespace laxity::schedule {

/// One collective at one size.
struct SimulatedBlock {
  CollectiveCall call;
  std::vector<collective::Algorithm> algorithms;            ///< some of algorithms(call.collective)
  std::vector<collective::Pattern> patterns;                ///< no_delay is always simulated, and before the others
  std::vector<collective::ArrivalPattern> custom_patterns;  ///< with one delay for each rank
  std::vector<collective::SkewPolicy> skews{{}};            ///< each pattern is simulated at each of them
  std::uint64_t seed = 1;                                   ///< of the pattern `random`
};

/// One algorithm under one pattern.
struct SimulatedCell {
  std::size_t algorithm = 0;  ///< index in SimulatedBlock::algorithms
  std::string pattern;
  double skew_s = 0;
  double last_delay_s = 0;   ///< from the last arrival to the last exit
  double total_delay_s = 0;  ///< from the first arrival to the last exit
};

/// The cells of no_delay of all algorithms, then the others by algorithm. Throws as make_schedule() and simulate();
/// UsageError if a custom pattern has another number of ranks.
[[nodiscard]] std::vector<SimulatedCell> simulate_arrivals(const SimulatedBlock& block, const Machine& machine,
                                                           unsigned threads);

}  // namespace laxity::schedule
