// A study of collectives under arrival patterns: what is measured, and its run directory.
//
// A run is one collective at one size, with all algorithms under all patterns; an interrupted study goes on with the
// next one. Elsewhere: options (arrival/options.cpp), the measurement (laxity/collective/benchmark/arrival_benchmark.hpp).
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
  std::vector<std::size_t> sizes_bytes;  ///< ascending; a barrier has one run only
  std::vector<int> algorithms;           ///< ids; empty: all that the library has
  bool with_aliases = false;             ///< also those that do the same as another
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

/// Runs what is not done yet on all ranks. Rank 0 writes the run directory and prints what to choose; there the path is
/// returned, elsewhere nothing. Throws Error, UsageError.
std::string run_arrival_study(const ArrivalStudy& study, const MpiProgram& mpi);

}  // namespace laxity::cli
