// Runs of the network of queues, beside Jackson's theorem. Threads: as timewarp::run_on().
#pragma once

#include "workloads/models/comparison.hpp"
#include "workloads/models/queueing.hpp"

namespace laxity::models {

/// Customers at each station by its load. Throws UsageError naming the option, and what run_on() throws.
[[nodiscard]] ComparedRun run_queueing(const QueueingOptions& options, double end_time, std::uint64_t seed,
                                       const timewarp::Engine& engine, const timewarp::Watch& watch = {});

}  // namespace laxity::models
