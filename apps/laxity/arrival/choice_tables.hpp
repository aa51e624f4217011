// The choices that follow from the measurements of a study: printed, and as the tables that reports show.
#pragma once

#include <filesystem>

namespace laxity::cli {

/// Writes the tables cells and candidates of a run directory from its measurements, and prints the choices unless `quiet`.
void conclude(const std::filesystem::path& directory, bool quiet);

}  // namespace laxity::cli
