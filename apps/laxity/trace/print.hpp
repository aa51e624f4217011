// The summary of a trace on the terminal.
//
// Elsewhere: the figures (laxity/trace/analysis/summary.hpp), the tables of the run directory (trace/tables.hpp).
#pragma once

#include <string>
#include <vector>

#include "laxity/trace/analysis/job.hpp"
#include "laxity/trace/analysis/summary.hpp"

namespace laxity::cli {

/// Shares of time, collectives and processes of all jobs, with notes on the limitations of the data.
[[nodiscard]] std::string summary_text(const std::vector<trace::Job>& jobs,
                                       const std::vector<trace::Summary>& summaries);

}  // namespace laxity::cli
