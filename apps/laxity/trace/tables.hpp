// What a trace comes to, as tables of a run directory and as text.
//
// Elsewhere: the columns (docs/run_format.md, kind trace), the figures (laxity/trace/analysis/summary.hpp).
#pragma once

#include <string>
#include <vector>

#include "laxity/metrics/run_directory.hpp"
#include "laxity/trace/analysis/job.hpp"

namespace laxity::cli {

/// Writes all rows of the tables of kind trace; a job is a run. Throws SystemError naming the file.
void write_trace_tables(const RunDirectory& directory, const std::vector<trace::Job>& jobs);

/// What a user sees at the end: shares of time, collectives, processes.
[[nodiscard]] std::string summary_text(const std::vector<trace::Job>& jobs);

}  // namespace laxity::cli
