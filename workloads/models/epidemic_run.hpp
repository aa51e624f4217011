// Runs of the epidemic, beside its limit for many people. Threads: as timewarp::run_on().
#pragma once

#include <vector>

#include "workloads/models/comparison.hpp"
#include "workloads/models/epidemic.hpp"

namespace laxity::models {

/// The infectious of all places at Epidemic::moments moments, by differential equations.
[[nodiscard]] std::vector<double> expected_course(const EpidemicOptions& options, const World& world);

/// The infectious of all places by day. Throws UsageError naming the option, and what run_on() throws.
[[nodiscard]] ComparedRun run_epidemic(const EpidemicOptions& options, const World& world, std::uint64_t seed,
                                       const timewarp::Engine& engine, const timewarp::Watch& watch = {});

}  // namespace laxity::models
