// laxity study evolution: the experiment of the papers on digital evolution, update rates in each asynchronicity mode.
//
// Source: Moreno and Ofria, Best-effort communication improves performance and scales robustly on conventional
//   hardware, III-A and III-B: 1, 4, 16 and 64 threads or processes with 3,600 cells each, in five modes.
// Elsewhere: how worlds are run (evolve/world_study.hpp), what the runs say about the claims
//   (python/src/laxity/studies/evolution/claims.py).
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/evolve/world_study.hpp"
#include "laxity/cli/command.hpp"
#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

constexpr const char* evolution_study_examples = R"(Examples:
  laxity study evolution --report                         threads and processes, 1 and 2 workers, five modes
  laxity study evolution --paper --report                 as the papers: 1, 4, 16 and 64 workers, 5 s
  laxity study evolution --teams threads --workers 1,8 --replicates 10 --report
  laxity study evolution --cells 400 --jitter 2ms         less computation between messages; updates of uneven length
)";

struct EvolutionStudyWords {
  WorldStudy study;
  std::vector<std::string> teams{"threads", "processes"};
  std::vector<int> workers;
  bool paper = false;
};

std::vector<Shape> shapes_of(const EvolutionStudyWords& words) {
  std::vector<int> counts = words.workers;
  if (counts.empty()) counts = words.paper ? std::vector{1, 4, 16, 64} : std::vector{1, 2};
  std::vector<Shape> shapes;
  for (const std::string& team : words.teams) {
    for (const int workers : counts) {
      if (workers < 1) throw UsageError("--workers " + std::to_string(workers) + ": at least 1");
      shapes.push_back(team == "threads" ? Shape{workers, 0} : Shape{1, workers});
    }
  }
  return shapes;
}

}  // namespace

void add_evolution_study(Command& app, int argc, const char* const* argv) {
  auto* command = app.get_subcommand("study")->add_subcommand(
      "evolution", "Update rates of digital evolution in each asynchronicity mode");
  command->footer(evolution_study_examples);
  auto words = std::make_shared<EvolutionStudyWords>();
  WorldStudy& study = words->study;
  study.name = "evolution";
  study.preset = "benchmark";
  study.modes = {all_modes.begin(), all_modes.end()};
  study.replicates = 5;
  study.duration_s = 0;  // 2, or 5 as in the papers
  study.window_s = 0.5;
  study.pictures = 0;
  study.argc = argc;
  study.argv = argv;
  command->add_flag("--paper", words->paper, "As in the papers: 1, 4, 16 and 64 workers, 5 s");
  command->add_option("--teams", words->teams, "threads, processes, or both, separated by a comma")
      ->delimiter(',')
      ->one_of({"threads", "processes"})
      ->capture_default_str();
  command->add_option("--workers", words->workers, "Numbers of workers, separated by commas; default 1,2")
      ->delimiter(',');
  command->add_option("--replicates", study.replicates, "Runs of each treatment")->at_least(1)->capture_default_str();
  command->add_duration("--duration", study.duration_s, "Duration of a run; default 2s", positive_duration);
  command->add_duration("--window", study.window_s, "Duration of a snapshot; 0: none")->capture_default_str();
  command->add_option("--cells", study.cells_per_worker, "Cells per worker; default 3600");
  command->add_option("--preset", study.preset, "Parameters of the world: benchmark or life")
      ->one_of({"benchmark", "life"})
      ->capture_default_str();
  command
      ->add_duration("--jitter", study.jitter_ns,
                     "Mean of the exponentially distributed additional duration of each update", {.max_s = 1})
      ->capture_default_str();
  command->add_option("--seed", study.seed, "Seed; replicates use the following ones")->capture_default_str();
  command->add_option("--output", study.output, "Run directory; default runs/evolution-<time>");
  command->add_flag("--report", study.report, "Write report.html at the end");
  command->add_flag("--quiet", study.quiet, "No progress line and no table");
  command->callback([words] {
    WorldStudy& planned = words->study;
    planned.shapes = shapes_of(*words);
    if (planned.duration_s == 0) planned.duration_s = words->paper ? 5 : 2;
    if (const int code = run_world_study(planned); code != 0) throw Exit{code};
  });
}

}  // namespace laxity::cli
