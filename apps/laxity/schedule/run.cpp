#include "apps/laxity/schedule/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "laxity/collective/collective.hpp"
#include "laxity/collective/patterns/pattern.hpp"
#include "laxity/error.hpp"
#include "laxity/metrics/csv_table.hpp"
#include "laxity/schedule/collective_schedule.hpp"
#include "laxity/schedule/goal_file.hpp"
#include "laxity/schedule/machine_file.hpp"
#include "laxity/schedule/picture.hpp"
#include "laxity/schedule/simulation.hpp"

namespace laxity::cli {
namespace {

constexpr std::uint32_t max_ranks_listed = 32;

void print_summary(const schedule::Schedule& schedule, const schedule::SimulationResult& result,
                   const schedule::Machine& machine, const std::vector<double>& arrival_s) {
  const double last_exit_us = static_cast<double>(result.last_exit) * 1e-6;
  fmt::print("{} ranks, {} operations, {} messages, on the machine \"{}\"\n", schedule.ranks(), schedule.total_ops(),
             schedule.messages(), machine.name);
  fmt::print("last exit {:.3f} us", last_exit_us);
  const double last_arrival_s = *std::ranges::max_element(arrival_s);
  if (last_arrival_s > 0)
    fmt::print(", last arrival {:.3f} us: last delay {:.3f} us", last_arrival_s * 1e6,
               last_exit_us - last_arrival_s * 1e6);
  fmt::print("\n");
}

schedule::SimulationResult simulated(const schedule::Schedule& schedule, const ScheduleRunOptions& options,
                                     const std::string& title) {
  const schedule::Machine machine = schedule::machine_named(options.machine);
  const auto pattern = collective::pattern_named(options.pattern);
  const bool delays = pattern != collective::Pattern::no_delay;
  if (delays && options.skew_s == 0)
    throw UsageError("--pattern " + options.pattern + ": say --skew, as in --skew 10us");
  if (!delays && options.skew_s > 0) throw UsageError("--skew: say --pattern, as in --pattern last_delayed");
  const std::vector<double> arrival_s =
      collective::arrival_delays(pattern, static_cast<int>(schedule.ranks()), options.skew_s, options.seed);
  schedule::SimulationResult result = simulate(schedule, machine, {.arrival_s = arrival_s, .op_times = true});
  print_summary(schedule, result, machine, arrival_s);
  if (!options.svg.empty()) replace_file(options.svg, space_time_svg(schedule, result, arrival_s, title));
  return result;
}

}  // namespace

void list_schedules(const std::string& collective) {
  for (const auto each : collective::all_collectives) {
    if (!collective.empty() && each != collective::collective_named(collective)) continue;
    fmt::print("{:<14}", name_of(each));
    for (const collective::Algorithm& algorithm : schedule::algorithms(each)) fmt::print(" {}", algorithm.name);
    fmt::print("\n");
  }
}

void show_schedule(const ScheduleShowOptions& options) {
  const schedule::CollectiveCall call{.collective = collective::collective_named(options.collective),
                                      .ranks = options.ranks,
                                      .bytes = options.bytes,
                                      .root = options.root,
                                      .segment_bytes = options.segment_bytes};
  const schedule::Schedule schedule = make_schedule(call, options.algorithm);
  if (!options.goal_binary.empty()) replace_file(options.goal_binary, format_goal_binary(schedule));
  if (options.goal == "-") {
    fmt::print("{}", format_goal(schedule));
    return;
  }
  if (!options.goal.empty()) replace_file(options.goal, format_goal(schedule));
  const std::string title = fmt::format("{} {}, {} ranks, {} B, {}", options.collective, options.algorithm,
                                        options.ranks, options.bytes, options.run.pattern);
  const schedule::SimulationResult result = simulated(schedule, options.run, title);
  if (options.ranks <= max_ranks_listed) fmt::print("{}", schedule_text(schedule, result));
}

void run_schedule_file(const std::string& file, const ScheduleRunOptions& options) {
  const schedule::Schedule schedule = schedule::read_goal_file(file);
  static_cast<void>(simulated(schedule, options, file));
}

}  // namespace laxity::cli
