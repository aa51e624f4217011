// Runs of PHOLD for the command line: replicates of one run or of the treatments of a study, written to a run directory.
//
// Elsewhere: the study (laxity/cli/timewarp/study.hpp), the options (phold/options.cpp, study/timewarp/options.cpp), one run
// (workloads/phold/phold_run.hpp), the tables (phold/tables.hpp), the printed text (phold/print.hpp).
#pragma once

#include <vector>

#include "apps/laxity/phold/tables.hpp"
#include "laxity/cli/timewarp/study.hpp"
#include "laxity/metrics/manifest.hpp"

namespace laxity::cli {

struct PholdStudy {
  std::vector<PholdTreatment> treatments;  ///< at least one
  SimulationStudy frame{.name = "phold"};  ///< its kind and its seed are set by run_phold_study()
};

/// Runs what is not complete yet, writes the run directory, prints the results, and writes the report if asked for. Returns
/// the exit code. Collective over ranks; the first rank writes and prints. Throws UsageError before anything is written.
int run_phold_study(PholdStudy study);

/// The configuration of a run for the manifest.
[[nodiscard]] Configuration configuration_of(const phold::Run& run);

}  // namespace laxity::cli
