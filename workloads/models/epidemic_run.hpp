// Runs of the epidemic and their comparison with the limit for large populations. Threads: as timewarp::run_on().
#pragma once

#include <cstdint>
#include <vector>

#include "laxity/timewarp/comparison.hpp"
#include "laxity/timewarp/engine.hpp"
#include "laxity/timewarp/model_check.hpp"
#include "workloads/models/epidemic.hpp"

namespace laxity::models {

/// Throws UsageError naming the option that is out of its range.
void check(const EpidemicOptions& options, const World& world);

/// The number of infectious people in all places at Epidemic::moments times, by ordinary differential equations.
[[nodiscard]] std::vector<double> expected_course(const EpidemicOptions& options, const World& world);

/// The number of infectious people in all places by day. Throws UsageError naming the option, and what run_on() throws.
[[nodiscard]] timewarp::ComparedRun run_epidemic(const EpidemicOptions& options, const World& world, std::uint64_t seed,
                                                 const timewarp::Engine& engine, const timewarp::Watch& watch = {});

/// Checks that every event of a sequential run can be rolled back (laxity/timewarp/model_check.hpp). Returns the number of
/// events. Throws UsageError naming the option, timewarp::ModelError at the first event that cannot be rolled back.
std::uint64_t check_handlers(const EpidemicOptions& options, const World& world, std::uint64_t seed,
                             timewarp::Check how);

}  // namespace laxity::models
