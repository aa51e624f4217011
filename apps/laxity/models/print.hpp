// What the subcommands of models print. Elsewhere: the runs (models/run.hpp).
#pragma once

#include <cstdint>

#include "laxity/timewarp/engine.hpp"
#include "workloads/models/comparison.hpp"

namespace laxity::cli {

/// The speed of a run, and about twelve rows of each comparison with theory.
void print_comparisons(const timewarp::Engine& engine, std::uint64_t seed, const models::ComparedRun& run);

}  // namespace laxity::cli
