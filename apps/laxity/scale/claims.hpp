// What the paper says about many processes, beside what a study of simulated ranks shows.
//
// Elsewhere: the study (scale/options.cpp); all other claims of the papers (python/src/laxity).
#pragma once

#include <filesystem>
#include <string>

namespace laxity::cli {

/// Reads runs.csv and qos.csv of a run directory, writes claims.csv (claim, paper, here) beside them, and gives the
/// same as a table for people. Claims that the study has no runs for are left out. Throws SystemError.
[[nodiscard]] std::string scale_claims(const std::filesystem::path& directory);

}  // namespace laxity::cli
