// Runs graph coloring on ranks of an MPI, on the same node or on different ones: `laxity color` under a launcher.
//
// The first rank leaves the result in a file; the launcher's output stays beside it as launcher.log.
// Elsewhere: the options of the study (study/hosts.cpp), the file (apps/smpi_ranks/result_file.hpp).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apps/laxity/color/treatment.hpp"
#include "laxity/metrics/manifest.hpp"
#include "workloads/coloring/coloring_run.hpp"

namespace laxity::cli {

/// The words that start a program on ranks, before those of the program.
struct Launchers {
  std::vector<std::string> same;       ///< all on one node, which share memory; empty: no treatment is on one
  std::vector<std::string> different;  ///< on two nodes
};

class LaunchedRuns {
 public:
  /// Tries the launchers with a program that does nothing. Throws Error with what the launcher says.
  LaunchedRuns(std::filesystem::path folder, Launchers launchers);

  /// A run that Ctrl-C or SIGTERM ended says so. Throws Error with a line of the launcher's output if it fails.
  [[nodiscard]] ColoringResult run(const ColoringRun& run, const ColorTreatment& treatment);

  [[nodiscard]] Configuration configuration() const;

 private:
  [[nodiscard]] bool start(const std::vector<std::string>& launcher, const std::vector<std::string>& program) const;

  std::filesystem::path folder_;
  Launchers launchers_;
};

}  // namespace laxity::cli
