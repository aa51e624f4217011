#include "apps/laxity/launch/team_options.hpp"

#include "laxity/cli/grace_option.hpp"
#include "laxity/error.hpp"
#include "laxity/launch/launcher.hpp"

namespace laxity::cli {
namespace {

void read_words(TeamPlan& plan, const TeamWords& words, Ranks* ranks) {
  plan.ranks = ranks;
  plan.modes.clear();
  for (const std::string& text : words.modes) plan.modes.push_back(mode_of(text));
  if (ranks != nullptr) {
    if (!words.workers.empty() || words.processes != 0) {
      const std::string launcher = launched().value_or(Launch{"the launcher", "", 0, 1}).launcher;
      throw UsageError("--workers and --processes: " + launcher +
                       " has created the processes; use --threads for the threads per process");
    }
    plan.shapes = {{words.threads, ranks->map().ranks(), true}};
  } else if (!words.workers.empty()) {
    plan.shapes.clear();
    for (const std::string& text : words.workers) plan.shapes.push_back(shape_named(text));
  } else {
    plan.shapes = {{words.threads, words.processes}};
  }
}

}  // namespace

void add_team_options(Command& command, TeamPlan& plan, TeamWords& words) {
  const auto group = "Team";
  Option* workers = command.add_option("--workers", words.workers,
                                       "Teams, separated by commas: 2t is two threads, 2p two processes, 2p3t two "
                                       "processes of three threads each");
  workers->delimiter(',')->group(group);
  command.add_option("--threads", words.threads, "Threads per process")
      ->group(group)
      ->capture_default_str()
      ->at_least(1)
      ->excludes(workers);
  command.add_option("--processes", words.processes, "Forked processes")->group(group)->at_least(1)->excludes(workers);
  command.add_option("--mode", words.modes, "Asynchronicity modes, numbers or names, separated by commas")
      ->delimiter(',')
      ->suggest({"every-update", "rolling", "fixed", "best-effort", "isolated"})
      ->group(group)
      ->capture_default_str();
  command.add_option("--replicates", plan.replicates, "Runs of each treatment")
      ->group(group)
      ->capture_default_str()
      ->at_least(1);
  command.add_duration("--duration", plan.duration_s, "Duration of a run", positive_duration)
      ->group(group)
      ->capture_default_str();
  command.add_option("--pin", plan.pin, "Bind each worker to a core: auto (if there are enough cores), always, never")
      ->group(group)
      ->capture_default_str()
      ->one_of({"auto", "always", "never"});
  add_grace(command, plan.grace_s, group);
}

void choose_teams(TeamPlan& plan, const TeamWords& words, Ranks* ranks) {
  const auto read = [&] { read_words(plan, words, ranks); };
  ranks != nullptr ? ranks->agree(read) : read();
}

void place(TeamOptions& team, const TeamPlan& plan) {
  team.pin = plan.pin == "always" ? PinPolicy::always : plan.pin == "never" ? PinPolicy::never : PinPolicy::automatic;
  team.grace = grace_period(plan.grace_s);
}

}  // namespace laxity::cli
