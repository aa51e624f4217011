// A study of collectives under arrival patterns whose times are simulated: `laxity arrival --simulate`.
//
// Elsewhere: the simulation (laxity/schedule/arrival_simulation.hpp), the tables (arrival/study_tables.hpp).
#pragma once

#include <string>

#include "apps/laxity/arrival/study.hpp"

namespace laxity::cli {

/// Simulates the missing runs of a study on `ranks` ranks of a machine that comes with laxity or is in a file. Writes
/// the run directory, prints the fastest algorithms and returns the path. Throws Error and UsageError.
std::string simulate_arrival_study(const ArrivalStudy& study, const std::string& machine, int ranks);

}  // namespace laxity::cli
