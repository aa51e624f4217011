// All studies in their small form, which can be interrupted and resumed, and one page with every claim of the papers.
//
// Each study runs in a process of its own, with its run directory below that of this one. A study that has ended is not
// run again; one that fails or that this machine cannot run is named, and the others continue.
// Elsewhere: the command line (options.cpp), the studies (the folders beside this one, ../../scale, ../../arrival), the
// page (python/src/laxity/evidence).
#pragma once

#include <string>
#include <vector>

namespace laxity::cli {

struct PapersOptions {
  std::vector<std::string> only;  ///< names of studies; all if empty
  int replicates = 0;             ///< of each treatment; 0: as each study has them
  double duration_s = 0;          ///< of a run in wall time; 0: as each study has it
  std::string output;
};

/// Their names, in the order in which they run.
[[nodiscard]] std::vector<std::string> names_of_papers_studies();

/// Runs the studies that are not done, then writes the page. Returns the exit code. Throws Error if none could be run.
int run_papers_study(const PapersOptions& options);

}  // namespace laxity::cli
