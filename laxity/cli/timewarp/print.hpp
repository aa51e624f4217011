// Texts about runs of Time Warp that several subcommands print.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "laxity/timewarp/engine.hpp"
#include "laxity/timewarp/log/event_log_difference.hpp"
#include "laxity/timewarp/statistics.hpp"
#include "laxity/timewarp/tuning.hpp"

namespace laxity::cli {

/// What a run has come to so far: the least GVT of its workers, and their events.
struct RunProgress {
  double gvt = 0;
  std::uint64_t committed = 0;
};
[[nodiscard]] RunProgress progress_of(const std::vector<timewarp::Progress>& workers, double end_time);

/// "2t, GVT 12.5 of 500, 3.1 M events committed".
[[nodiscard]] std::string progress_text(const timewarp::Engine& engine, const RunProgress& progress, double end_time);

/// "2t, seed 1: 346676 events in 0.115 s: 3.01 M/s (332 ns), efficiency 99.90 %, 12 rollbacks".
[[nodiscard]] std::string run_text(const timewarp::Engine& engine, std::uint64_t seed,
                                   const timewarp::Statistics& total, double seconds);

/// Prints where two event logs differ, or that they are equal.
void print_difference(const timewarp::LogComparison& logs, const std::string& first, const std::string& second);

/// Prints the steps of a tuning and the command line that it recommends.
void print_tuning(const timewarp::Tuning& tuning, const std::string& command);
void print_tuning_as_json(const timewarp::Tuning& tuning, const std::string& command);

}  // namespace laxity::cli
