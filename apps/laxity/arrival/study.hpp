// A study of collectives under arrival patterns: what is measured or simulated, and how.
//
// Elsewhere: options (arrival/options.cpp), the measurement (arrival/run.hpp), the simulation (arrival/simulate.hpp), the run
// directory (arrival/study_tables.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/laxity/arrival/traced_sizes.hpp"
#include "laxity/collective/benchmark/arrival_block.hpp"

namespace laxity::cli {

/// One collective at one size.
struct ArrivalCase {
  collective::Collective collective = collective::Collective::reduce;
  std::size_t bytes = 0;
  std::vector<collective::SkewPolicy> skews;
};

struct ArrivalStudy {
  std::vector<ArrivalCase> cases;       ///< a barrier has one
  std::vector<TracedSize> application;  ///< of the trace from which the cases come; empty without a trace
  std::vector<int> algorithms;          ///< ids; all that the library has if empty
  bool with_aliases = false;            ///< whether equivalent algorithms are measured
  bool with_own = false;                ///< whether laxity's own algorithms are measured
  std::vector<collective::Pattern> patterns;
  std::vector<collective::ArrivalPattern> custom_patterns;
  collective::ArrivalEffort effort;
  std::uint64_t seed = 1;
  std::string output;  ///< run directory; runs/arrival-<time> if empty
  bool quiet = false;
  int argc = 0;
  const char* const* argv = nullptr;
};

}  // namespace laxity::cli
