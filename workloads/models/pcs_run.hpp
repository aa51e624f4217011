// Runs of the telephone cells, beside Erlang's formula. Threads: as timewarp::run_on().
#pragma once

#include <cstdint>
#include <vector>

#include "laxity/timewarp/model_check.hpp"
#include "workloads/models/comparison.hpp"
#include "workloads/models/pcs.hpp"

namespace laxity::models {

/// Erlang's B: the share of calls that find all of `channels` taken, offered `load` Erlang.
[[nodiscard]] double erlang_b(std::uint32_t channels, double load) noexcept;

/// The share of calls blocked in each cell, hand-overs of the neighbors taken for Poisson.
[[nodiscard]] std::vector<double> expected_blocking(const PcsOptions& options);

/// The share of blocked calls by column of cells. Throws UsageError naming the option, and what run_on() throws.
[[nodiscard]] ComparedRun run_pcs(const PcsOptions& options, double end_time, std::uint64_t seed,
                                  const timewarp::Engine& engine, const timewarp::Watch& watch = {});

/// Handles the events of the run sequentially, each again after it was put back (laxity/timewarp/model_check.hpp); says
/// how many. Throws UsageError naming the option, timewarp::ModelError at the first that cannot be rolled back.
std::uint64_t check_handlers(const PcsOptions& options, double end_time, std::uint64_t seed, timewarp::Check how);

}  // namespace laxity::models
