// laxity study performance, work, threads-vs-processes, weak-scaling, faulty, react: the experiments on best-effort
// communication. Each is one command, which can be interrupted and resumed.
//
// Elsewhere: what each compares (experiments.hpp), how it is run (color/run.hpp).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/color/run.hpp"
#include "apps/laxity/study/best_effort/experiments.hpp"
#include "apps/laxity/study/launched_study.hpp"
#include "laxity/cli/command.hpp"
#include "laxity/cli/progress_line.hpp"
#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

struct ExperimentWords {
  ExperimentSize size;
  std::string pin = "auto";
  std::string different;  // launcher of ranks on two hosts
  std::string output;
  std::uint64_t seed = 1;
  bool report = false;
  bool until_quiet = false;
  bool quiet = false;
};

// "1t 2t 1p 2p, 2048 nodes each: 20 treatments, 5 replicates of 1s, about 1 min 40 s".
std::string size_text(const Experiment& experiment, bool paper) {
  ExperimentSize size;
  size.paper = paper;
  const ColorStudy study = experiment.study_of(size);
  std::vector<std::string> teams, nodes;
  const auto add_if_new = [](std::vector<std::string>& words, std::string word) {
    if (std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
  };
  for (const ColorTreatment& treatment : study.treatments) {
    add_if_new(teams, treatment.shape.text());
    add_if_new(nodes, std::to_string(treatment.nodes_per_worker));
  }
  const double runs = static_cast<double>(study.treatments.size()) * study.replicates;
  return fmt::format("{} with {} nodes per worker; {} treatments, {} replicates of {}: {}", fmt::join(teams, " "),
                     fmt::join(nodes, " and "), study.treatments.size(), study.replicates,
                     short_duration(study.duration_s), duration_text(runs * study.duration_s));
}

void add_size_options(Command& command, const Experiment& experiment, const std::shared_ptr<ExperimentWords>& words) {
  const auto group = "Size";
  ExperimentSize& size = words->size;
  command.add_flag("--paper", size.paper, "As in the paper: " + size_text(experiment, true))->group(group);
  command.add_option("--workers", size.workers, "Numbers of workers, separated by commas")
      ->delimiter(',')
      ->group(group);
  command.add_option("--nodes", size.nodes, "Mesh nodes per worker, separated by commas")->delimiter(',')->group(group);
  command.add_option("--replicates", size.replicates, "Runs of each treatment")->group(group)->at_least(1);
  command.add_duration("--duration", size.duration_s, "Duration of a run", positive_duration)->group(group);
  command.add_duration("--window", size.window_s, "Duration of a snapshot", positive_duration)->group(group);
  command
      .add_duration("--interval", size.interval_s,
                    "Time between the beginnings of snapshots; by default one begins where the previous ends",
                    positive_duration)
      ->group(group);
  const std::string name = experiment.name;
  auto* teams = command.add_option("--teams", size.teams, "threads, processes, ranks of MPI; separated by commas")
                    ->delimiter(',')
                    ->group(group)
                    ->one_of({"threads", "processes", "ranks"});
  if (name == "work")
    command
        .add_option(
            "--hosts", size.hosts,
            "1, 2, or both, separated by a comma; on 2 hosts the workers are MPI ranks. Without --different they are "
            "emulated on this machine, which requires root")
        ->delimiter(',')
        ->group(group);
  if (name == "work")
    command.add_option("--units", size.units, "Synthetic work per update, draws of std::mt19937, separated by commas")
        ->delimiter(',')
        ->group(group);
  if (name == "faulty" || name == "react")
    command
        .add_duration("--pause", size.pause_ns, "Additional duration of each update of the slow worker",
                      {.min_s = 1e-9, .max_s = 10})
        ->group(group)
        ->capture_default_str();
  if (experiment.can_be_replayed)
    command
        .add_flag("--replay", size.replayed,
                  "Virtual workers in one thread and in virtual time, reproducible from the seed")
        ->group(group)
        ->excludes(teams);
}

// Treatments on ranks need launchers; between the ranks of one host they exchange messages, as those of the paper did.
int start_experiment(const ExperimentWords& words, ColorStudy study) {
  Launchers launchers{.same = {}, .different = {}, .shared_memory = false};
  for (const ColorTreatment& treatment : study.treatments) {
    if (!treatment.shape.ranks) continue;
    if (treatment.hosts == 1) {
      launchers.same = launcher_of_this_host();
    } else {
      launchers.different = words.different.empty() ? launcher_of_emulated_hosts() : launcher_named(words.different);
    }
  }
  const bool on_ranks = !launchers.same.empty() || !launchers.different.empty();
  return on_ranks ? run_on_launched_ranks(launchers, std::move(study)) : run_color_study(study);
}

void run_experiment(const Experiment& experiment, const ExperimentWords& words, int argc, const char* const* argv) {
  ColorStudy study = experiment.study_of(words.size);
  study.name = experiment.name;
  study.coloring.seed = words.seed;
  study.pin = words.pin;
  study.output = words.output;
  study.report = words.report;
  study.until_quiet = words.until_quiet;
  study.quiet = words.quiet;
  study.argc = argc;
  study.argv = argv;
  if (const int code = start_experiment(words, std::move(study)); code != 0) throw Exit{code};
}

}  // namespace

void add_best_effort_studies(Command& app, int argc, const char* const* argv) {
  Command* studies = app.get_subcommand("study");
  for (const Experiment& experiment : experiments()) {
    auto* command = studies->add_subcommand(experiment.name, experiment.question);
    command->footer(std::string("Example:\n  ") + experiment.example +
                    "\n\nSize by default: " + size_text(experiment, false) +
                    ".\nTo resume an interrupted study, repeat the command with its --output.\n");
    auto words = std::make_shared<ExperimentWords>();
    add_size_options(*command, experiment, words);
    if (std::string_view(experiment.name) == "work")
      command->add_option("--different", words->different,
                          "Launcher of ranks on two hosts, {ranks} for their number per host; default: emulated hosts");
    command->add_option("--seed", words->seed, "Seed of the first replicate; the others use the following seeds")
        ->capture_default_str();
    command
        ->add_option("--pin", words->pin, "Bind each worker to a core: auto (if there are enough cores), always, never")
        ->capture_default_str()
        ->one_of({"auto", "always", "never"});
    command->add_option("--output", words->output,
                        std::string("Run directory; runs/") + experiment.name + "-<time> by default");
    command->add_flag("--until-quiet", words->until_quiet,
                      "Repeat a run while other programs or machines take processor time, four times at most");
    command->add_flag("--report", words->report, "Write report.html at the end");
    command->add_flag("--quiet", words->quiet, "No progress line and no table");
    command->callback([&experiment, words, argc, argv] { run_experiment(experiment, *words, argc, argv); });
  }
}

}  // namespace laxity::cli
