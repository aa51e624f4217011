// Runs of PHOLD for the command line: replicates of one run or of the treatments of a study, written to a run directory.
//
// Elsewhere: the options (phold/options.cpp, study/timewarp.cpp), one run (workloads/phold/phold_run.hpp), the tables
// (phold/tables.hpp), the printed text (phold/print.hpp).
#pragma once

#include <string>
#include <vector>

#include "apps/laxity/phold/tables.hpp"
#include "laxity/launch/ranks.hpp"
#include "laxity/metrics/manifest.hpp"

namespace laxity::cli {

struct PholdStudy {
  std::vector<PholdTreatment> treatments;  ///< at least one
  Configuration configuration;             ///< for the manifest
  int replicates = 1;                      ///< of every treatment, each with the seed after the one before
  std::string name = "phold";              ///< of the run directory, before its time
  std::string output;                      ///< run directory; empty: runs/<name>-<time>
  bool report = false;
  bool quiet = false;
  Ranks* ranks = nullptr;  ///< over which the runs spread, as in the engine of every treatment; or null
  int argc = 0;            ///< the command line, for the manifest
  const char* const* argv = nullptr;
};

/// Runs what is not complete yet, writes the run directory, prints the results, and writes the report if asked for. Returns
/// the exit code. Collective over ranks; the first rank writes and prints. Throws UsageError before anything is written.
int run_phold_study(const PholdStudy& study);

/// The configuration of a run for the manifest.
[[nodiscard]] Configuration configuration_of(const phold::Run& run);

}  // namespace laxity::cli
