// A study of collectives of the running MPI under arrival patterns.
//
// A run is one collective at one size, with all algorithms and the library's own choice under all patterns. An interrupted study
// continues with the first run that is missing.
// Elsewhere: the measurement (laxity/collective/benchmark/arrival_benchmark.hpp), builds without MPI (launch/without_mpi.cpp).
#pragma once

#include <string>

#include "apps/laxity/arrival/study.hpp"

namespace laxity::cli {

/// Starts `ranks` ranks unless a launcher did, and measures the missing runs on them. The cases come from `trace` if it
/// is not empty; then `ranks` may be 0 for as many as most of its calls have. Rank 0 writes the run directory, prints the
/// choices and returns the path; other ranks return an empty string. Throws Error and UsageError; Error in a build
/// without MPI.
std::string run_arrival_study(const ArrivalStudy& asked, const std::string& trace, int ranks);

}  // namespace laxity::cli
