// The summary of a trace on the terminal.
//
// Elsewhere: the figures (laxity/trace/analysis/attribution.hpp), the tables of the run directory (trace/tables.hpp).
#pragma once

#include <string>
#include <vector>

#include "laxity/trace/analysis/attribution.hpp"
#include "laxity/trace/analysis/job.hpp"

namespace laxity::cli {

/// Shares of time, collectives, processes and who was late in all jobs, with notes on the limitations of the data.
[[nodiscard]] std::string summary_text(const std::vector<trace::Job>& jobs,
                                       const std::vector<trace::Attribution>& attributions);

}  // namespace laxity::cli
