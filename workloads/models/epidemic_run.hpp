// Runs of the epidemic, beside its limit for many people. Threads: as timewarp::run_on().
#pragma once

#include <cstdint>
#include <vector>

#include "laxity/timewarp/model_check.hpp"
#include "workloads/models/comparison.hpp"
#include "workloads/models/epidemic.hpp"

namespace laxity::models {

/// The infectious of all places at Epidemic::moments moments, by differential equations.
[[nodiscard]] std::vector<double> expected_course(const EpidemicOptions& options, const World& world);

/// The infectious of all places by day. Throws UsageError naming the option, and what run_on() throws.
[[nodiscard]] ComparedRun run_epidemic(const EpidemicOptions& options, const World& world, std::uint64_t seed,
                                       const timewarp::Engine& engine, const timewarp::Watch& watch = {});

/// Handles the events of the run sequentially, each again after it was put back (laxity/timewarp/model_check.hpp); says
/// how many. Throws UsageError naming the option, timewarp::ModelError at the first that cannot be rolled back.
std::uint64_t check_handlers(const EpidemicOptions& options, const World& world, std::uint64_t seed,
                             timewarp::Check how);

}  // namespace laxity::models
