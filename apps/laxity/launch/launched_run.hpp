// Runs `laxity color` under an MPI launcher, with its ranks on the same host or on different ones.
//
// The first rank writes the result to a file; the output of the launcher goes to launcher.log beside it.
// Elsewhere: the options of the study (study/hosts/options.cpp), the file (apps/smpi_ranks/result_file.hpp).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apps/laxity/color/treatment.hpp"
#include "laxity/metrics/manifest.hpp"
#include "workloads/coloring/coloring_run.hpp"

namespace laxity::cli {

/// Stands in a launcher for the number of ranks per host.
inline constexpr const char* ranks_per_host = "{ranks}";

/// Commands that start a program on ranks; the words of the program follow.
struct Launchers {
  std::vector<std::string> same;       ///< all ranks on one host; empty if no treatment needs it
  std::vector<std::string> different;  ///< ranks on two hosts; empty if no treatment needs it
  bool shared_memory = true;           ///< between ranks of one host; false: MPI messages, two-sided
};

class LaunchedRuns {
 public:
  /// Tests the launchers with a program that does nothing. Throws Error with a line of the launcher's output.
  LaunchedRuns(std::filesystem::path folder, Launchers launchers);

  /// The result says whether Ctrl-C or SIGTERM ended the run. Throws Error with a line of the launcher's output if it fails.
  [[nodiscard]] ColoringResult run(const ColoringRun& run, const ColorTreatment& treatment);

  [[nodiscard]] Configuration configuration() const;

 private:
  [[nodiscard]] bool start(std::vector<std::string> launcher, int ranks, const std::vector<std::string>& program) const;

  std::filesystem::path folder_;
  Launchers launchers_;
};

}  // namespace laxity::cli
