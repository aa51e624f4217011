// The tables of a run directory of kind trace.
//
// Elsewhere: the columns (laxity/metrics/tables.json), the figures (laxity/trace/analysis/summary.hpp).
#pragma once

#include <string>
#include <vector>

#include "laxity/metrics/run_directory.hpp"
#include "laxity/trace/analysis/job.hpp"

namespace laxity::cli {

/// Writes the rows of all jobs, each of which is a run. Throws SystemError naming the file.
void write_trace_tables(const RunDirectory& directory, const std::vector<trace::Job>& jobs);

}  // namespace laxity::cli
