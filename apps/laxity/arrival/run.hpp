// A study of collectives under arrival patterns, and its run directory.
//
// A run is one collective at one size, with all algorithms and the library's own choice under all patterns. An interrupted study continues with the
// first run that is missing. Elsewhere: options (arrival/options.cpp), the measurement (laxity/collective/benchmark/arrival_benchmark.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/laxity/arrival/traced_sizes.hpp"
#include "laxity/clock/mpi_program.hpp"
#include "laxity/collective/benchmark/arrival_benchmark.hpp"

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
  std::vector<collective::Pattern> patterns;
  std::vector<collective::ArrivalPattern> custom_patterns;
  collective::ArrivalEffort effort;
  std::uint64_t seed = 1;
  std::string output;  ///< run directory; runs/arrival-<time> if empty
  bool quiet = false;
  int argc = 0;
  const char* const* argv = nullptr;
};

/// The sizes of rank 0, on all ranks.
[[nodiscard]] std::vector<TracedSize> share_sizes(std::vector<TracedSize> sizes);

/// Measures the missing runs on all ranks. Rank 0 writes the run directory, prints the choices and returns the path; other
/// ranks return an empty string. Throws Error and UsageError.
std::string run_arrival_study(const ArrivalStudy& study, const MpiProgram& mpi);

}  // namespace laxity::cli
