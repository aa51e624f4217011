// Pictures of a simulated schedule: the operations of every rank as text, and a space-time diagram as SVG.
//
// Threads: pure functions.
#pragma once

#include <string>

#include "laxity/schedule/machine.hpp"
#include "laxity/schedule/schedule.hpp"
#include "laxity/schedule/simulation.hpp"

namespace laxity::schedule {

/// A line for each operation: rank, number, what it does, what it waits for, and when it starts and ends, in us.
/// `result` has the times of operations.
[[nodiscard]] std::string schedule_text(const Schedule& schedule, const SimulationResult& result);

/// Time runs to the right, a lane for each rank from the top; bars are processor time, lines are messages from the
/// start of the send to the end of the receive, a gray bar is the delay before a rank arrives. `result` has the times
/// of operations. Throws UsageError for more than 128 ranks, which no picture shows.
[[nodiscard]] std::string space_time_svg(const Schedule& schedule, const SimulationResult& result,
                                         std::span<const double> arrival_s, const std::string& title);

}  // namespace laxity::schedule
