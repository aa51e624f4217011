// Runs of the queueing network and their comparison with Jackson's theorem. Threads: as timewarp::run_on().
#pragma once

#include <cstdint>

#include "laxity/timewarp/comparison.hpp"
#include "laxity/timewarp/engine.hpp"
#include "laxity/timewarp/model_check.hpp"
#include "workloads/models/queueing.hpp"

namespace laxity::models {

/// Throws UsageError naming the option that is out of its range.
void check(const QueueingOptions& options, double end_time);

/// Mean number of customers at each station by its load. Throws UsageError naming the option, and what run_on() throws.
[[nodiscard]] timewarp::ComparedRun run_queueing(const QueueingOptions& options, double end_time, std::uint64_t seed,
                                                 const timewarp::Engine& engine, const timewarp::Watch& watch = {});

/// Checks that every event of a sequential run can be rolled back (laxity/timewarp/model_check.hpp). Returns the number of
/// events. Throws UsageError naming the option, timewarp::ModelError at the first event that cannot be rolled back.
std::uint64_t check_handlers(const QueueingOptions& options, double end_time, std::uint64_t seed, timewarp::Check how);

}  // namespace laxity::models
