// What the subcommands of `laxity schedule` do with their options.
//
// Elsewhere: the options (schedule/options.cpp), schedules and their simulation (laxity/schedule).
#pragma once

#include <cstdint>
#include <string>

namespace laxity::cli {

/// Where a schedule is simulated, when its ranks arrive, and where pictures go.
struct ScheduleRunOptions {
  std::string machine = "paper";  ///< or a TOML file
  std::string pattern = "no_delay";
  double skew_s = 0;
  std::uint64_t seed = 1;
  std::string svg;
};

struct ScheduleShowOptions {
  std::string collective;
  std::string algorithm;
  std::uint32_t ranks = 8;
  std::uint64_t bytes = 8;
  std::uint32_t root = 0;
  std::uint64_t segment_bytes = 0;
  std::string goal;         ///< file for the schedule as text; "-": standard output
  std::string goal_binary;  ///< file for the schedule in GOAL's binary form
  ScheduleRunOptions run{};
};

/// Prints the algorithms of a collective, or of all.
void list_schedules(const std::string& collective);
/// Simulates the schedule of a collective algorithm; prints every operation, or a summary above 32 ranks.
void show_schedule(const ScheduleShowOptions& options);
/// Simulates a GOAL file; prints when its ranks are done.
void run_schedule_file(const std::string& file, const ScheduleRunOptions& options);

}  // namespace laxity::cli
