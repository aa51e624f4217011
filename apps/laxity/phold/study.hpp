// PHOLD on the command line: one run, or the treatments of a study, in replicates; and where the results go.
//
// Elsewhere: the options (phold/options.cpp, study/timewarp.cpp), one run (workloads/phold/phold_run.hpp), the tables
// (phold/tables.hpp).
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
  Ranks* ranks = nullptr;  ///< that share the work, if a launcher has started us; also in each treatment's engine
  int argc = 0;            ///< the command line, for the manifest
  const char* const* argv = nullptr;
};

/// Collective over ranks; the first one writes and prints. Runs what is not done yet, writes the run directory, prints what came out, and the report if asked. Exit code. Throws
/// UsageError before anything is written.
int run_phold_study(const PholdStudy& study);

/// What a run is, for the manifest.
[[nodiscard]] Configuration configuration_of(const phold::Run& run);

}  // namespace laxity::cli
