// A study of collectives under arrival patterns whose times are simulated: `laxity arrival --simulate`.
//
// Elsewhere: the simulations (laxity/schedule/arrival_simulation.hpp, arrival/smpi_arrivals.hpp), the tables (arrival/study_tables.hpp).
#pragma once

#include <string>

#include "apps/laxity/arrival/study.hpp"

namespace laxity::cli {

struct SimulatedMachine {
  std::string simulator;  ///< "schedule", or "smpi": MPI ranks under SimGrid
  std::string machine;    ///< one that comes with laxity, or a file
  int ranks = 1;
};

/// Simulates the missing runs of a study. Writes the run directory, prints the fastest algorithms and returns the path.
/// Throws Error, also if Ctrl-C or SIGTERM interrupted it, and UsageError.
std::string simulate_arrival_study(const ArrivalStudy& asked, const SimulatedMachine& simulated);

}  // namespace laxity::cli
