// PHOLD on the command line: one run or some replicates of it, and where the results go.
//
// Elsewhere: the options (phold.cpp), one run (workloads/phold/phold_run.hpp), its tables (phold_tables.hpp).
#pragma once

#include <string>

#include "workloads/phold/phold_run.hpp"

namespace laxity::cli {

struct PholdStudy {
  phold::Run run;
  int replicates = 1;  ///< each with the seed after the one before
  std::string output;  ///< run directory; empty: runs/phold-<time>
  bool report = false;
  bool quiet = false;
  int argc = 0;  ///< the command line, for the manifest
  const char* const* argv = nullptr;
};

/// Runs what is not done yet, writes the run directory, prints what came out, and the report if asked. Exit code. Throws
/// UsageError before anything is written.
int run_phold_study(const PholdStudy& study);

}  // namespace laxity::cli
