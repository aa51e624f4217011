// A traced program as a message schedule: what it computes between its collectives, and their messages.
//
// Each rank computes from the exit of one call to the arrival at the next; a call is the schedule of the algorithm that
// is chosen for its collective. Simulated at its own size on a machine like that of the trace, the program takes as
// long as it did; with other algorithms or on another machine it predicts.
// Source: Hoefler, Schneider and Lumsdaine, LogGOPSim, LSAP 2010: the schedules of traced programs.
// Invariants: messages of different calls have different tags.
// Threads: pure functions. Elsewhere: GOAL files (laxity/schedule/goal_file.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "laxity/collective/collective.hpp"
#include "laxity/schedule/schedule.hpp"
#include "laxity/trace/analysis/job.hpp"

namespace laxity::cli {

/// The algorithm of each collective, by its name in schedule::algorithms().
using ChosenAlgorithms = std::map<collective::Collective, std::string>;

/// The algorithms for choices such as "allreduce=ring"; for other collectives those that are fast for small messages.
/// Throws UsageError for a text without "=", a collective that is none, or one that is chosen twice.
[[nodiscard]] ChosenAlgorithms chosen_algorithms(const std::vector<std::string>& choices);

struct TracedSchedule {
  schedule::Schedule schedule;
  std::uint64_t calls = 0;
  std::uint64_t left_out =
      0;  ///< calls whose time counts as computing: nonblocking, between groups, without a schedule
};

/// Throws UsageError if not all processes and calls were traced, if their clocks cannot be compared, or if the
/// collective has no such algorithm; Error if there are too many messages for the tags of a schedule.
[[nodiscard]] TracedSchedule traced_schedule(const trace::Job& job, const ChosenAlgorithms& chosen);

}  // namespace laxity::cli
