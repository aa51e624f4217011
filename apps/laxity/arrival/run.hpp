// A study of collectives under arrival patterns, and its run directory.
//
// A run is one collective at one size, with all algorithms under all patterns. An interrupted study continues with the
// first run that is missing. Elsewhere: options (arrival/options.cpp), the measurement (laxity/collective/benchmark/arrival_benchmark.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "laxity/clock/mpi_program.hpp"
#include "laxity/collective/benchmark/arrival_benchmark.hpp"

namespace laxity::cli {

struct ArrivalStudy {
  std::vector<collective::Collective> collectives;
  std::vector<std::size_t> sizes_bytes;  ///< ascending; a barrier has one run
  std::vector<int> algorithms;           ///< ids; all that the library has if empty
  bool with_aliases = false;             ///< whether equivalent algorithms are measured
  std::vector<collective::Pattern> patterns;
  std::vector<collective::ArrivalPattern> custom_patterns;
  collective::SkewPolicy skew;
  collective::ArrivalEffort effort;
  std::uint64_t seed = 1;
  std::string output;  ///< run directory; runs/arrival-<time> if empty
  bool quiet = false;
  int argc = 0;
  const char* const* argv = nullptr;
};

/// Measures the missing runs on all ranks. Rank 0 writes the run directory, prints the choices and returns the path; other
/// ranks return an empty string. Throws Error and UsageError.
std::string run_arrival_study(const ArrivalStudy& study, const MpiProgram& mpi);

}  // namespace laxity::cli
