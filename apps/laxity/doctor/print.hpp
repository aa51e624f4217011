// The findings of laxity doctor as a table and as JSON, on standard output.
#pragma once

#include <vector>

#include "apps/laxity/doctor/run.hpp"

namespace laxity::cli {

/// A line for each finding, and below it the advice if there is one.
void print_findings(const std::vector<Finding>& findings);

/// A JSON array of {subject, health, found, advice}.
void print_findings_as_json(const std::vector<Finding>& findings);

}  // namespace laxity::cli
