// What `laxity phold` and `laxity study timewarp` print. Elsewhere: the runs (phold/run.hpp).
#pragma once

#include <vector>

#include "apps/laxity/phold/tables.hpp"
#include "workloads/phold/phold_run.hpp"

namespace laxity::cli {

/// The model in a line.
void print_model(const phold::Run& run);
/// The result of one run, in total and by worker.
void print_outcome(const phold::Run& run, const phold::Outcome& outcome);
/// A row for each treatment that has run.
void print_table(const std::vector<PholdTreatment>& treatments, const std::vector<PholdTally>& tallies);

}  // namespace laxity::cli
