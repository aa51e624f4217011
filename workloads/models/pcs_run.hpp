// Runs of the personal communication service and their comparison with Erlang's formula. Threads: as timewarp::run_on().
#pragma once

#include <cstdint>
#include <vector>

#include "laxity/timewarp/comparison.hpp"
#include "laxity/timewarp/engine.hpp"
#include "laxity/timewarp/model_check.hpp"
#include "workloads/models/pcs.hpp"

namespace laxity::models {

/// Throws UsageError naming the option that is out of its range.
void check(const PcsOptions& options, double end_time);

/// Erlang's B formula: the share of calls that find all `channels` busy at an offered load in Erlang.
[[nodiscard]] double erlang_b(std::uint32_t channels, double load) noexcept;

/// The share of calls blocked in each cell if hand-overs from the neighbors are a Poisson process.
[[nodiscard]] std::vector<double> expected_blocking(const PcsOptions& options);

/// The share of blocked calls by column of cells. Throws UsageError naming the option, and what run_on() throws.
[[nodiscard]] timewarp::ComparedRun run_pcs(const PcsOptions& options, double end_time, std::uint64_t seed,
                                            const timewarp::Engine& engine, const timewarp::Watch& watch = {});

/// Checks that every event of a sequential run can be rolled back (laxity/timewarp/model_check.hpp). Returns the number of
/// events. Throws UsageError naming the option, timewarp::ModelError at the first event that cannot be rolled back.
std::uint64_t check_handlers(const PcsOptions& options, double end_time, std::uint64_t seed, timewarp::Check how);

}  // namespace laxity::models
