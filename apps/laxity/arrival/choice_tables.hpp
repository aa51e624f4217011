// The choices that follow from the measurements of a study: printed, and as the tables that reports show.
#pragma once

#include <filesystem>

namespace laxity::cli {

/// Writes the tables cells and candidates of a run directory from its measurements, and prints the choices unless `quiet`.
void conclude(const std::filesystem::path& directory, bool quiet);

/// The same for a simulated study. It has no choice of an MPI library, so its algorithms are compared with the one that
/// is fastest without delays, which benchmarks usually choose.
void conclude_simulation(const std::filesystem::path& directory, bool quiet);

}  // namespace laxity::cli
