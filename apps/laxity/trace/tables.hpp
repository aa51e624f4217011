// The tables of a run directory of kind trace.
//
// Elsewhere: the columns (laxity/metrics/tables.json), the figures (laxity/trace/analysis/attribution.hpp).
#pragma once

#include <vector>

#include "laxity/metrics/run_directory.hpp"
#include "laxity/trace/analysis/attribution.hpp"
#include "laxity/trace/analysis/job.hpp"

namespace laxity::cli {

/// Writes the rows of all jobs, each of which is a run, and returns their figures, which come from the same pass over
/// the files. Throws SystemError naming a file that cannot be written.
std::vector<trace::Attribution> write_trace_tables(const RunDirectory& directory, const std::vector<trace::Job>& jobs);

}  // namespace laxity::cli
