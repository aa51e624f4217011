// laxity study nodes: two ranks on the same node against two on different ones.
//
// Source: Moreno, Rodriguez Papa, Ofria, "Best-effort communication improves performance ...", III-D.
// Elsewhere: how a run is started (launched_run.hpp), how the study is run (color_study.hpp), what is made of it
// (python/src/laxity/experiments.py).
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "apps/laxity/color_study.hpp"
#include "apps/laxity/launched_run.hpp"
#include "apps/laxity/run_name.hpp"
#include "apps/laxity/subcommands.hpp"
#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

constexpr const char* footer = R"(Examples:
  laxity study nodes --report
  laxity study nodes --same "srun -N 1 -n 2" --different "srun -N 2 -n 2"

Without --different two nodes are emulated on this machine by scripts/two_nodes: network namespaces with a network of
1 Gbit/s between them. That needs root.
A study that was interrupted goes on where it stopped: give it the same options and --output.
)";

struct Options {
  std::string same = std::string(LAXITY_MPI_LAUNCHER) + " -n 2";
  std::string different = std::string(LAXITY_TWO_NODES) + " --ranks 1 --mpiexec " + LAXITY_MPI_LAUNCHER;
  std::vector<std::uint32_t> nodes{1};
  int replicates = 10;
  double duration_s = 2, window_s = 0.5;
  std::uint64_t seed = 1;
  std::string output;
  bool paper = false, report = false, quiet = false;
};

std::vector<std::string> words_of(const std::string& command) {
  std::istringstream stream(command);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  if (words.empty()) throw UsageError("--same and --different: name a launcher");
  return words;
}

int run(const Options& options, int argc, const char* const* argv) {
  // Emulated nodes need root anyway, and Open MPI asks root whether it means it.
  if (geteuid() == 0)
    for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"}) setenv(name, "1", 0);
  ColorStudy study;
  study.name = "nodes";
  study.output = options.output.empty() ? default_output(study.name) : options.output;
  study.replicates = options.replicates;
  study.duration_s = options.paper ? 302 : options.duration_s;
  study.window_s = options.paper ? 1 : options.window_s;
  study.interval_s = options.paper ? 60 : 0;
  study.coloring.seed = options.seed;
  study.layer.send_depth = 64;
  study.report = options.report;
  study.quiet = options.quiet;
  study.argc = argc;
  study.argv = argv;
  for (const std::uint32_t nodes : options.nodes)
    for (const int hosts : {1, 2})
      study.treatments.push_back({{1, 2, true}, Mode::none, nodes, 0, false, {}, {}, hosts});
  LaunchedRuns runs(std::filesystem::path(study.output) / "ranks",
                    {words_of(options.same), words_of(options.different)});
  study.elsewhere = runs.configuration();
  study.run_elsewhere = [&](const ColoringRun& planned, const ColorTreatment& treatment) {
    return runs.run(planned, treatment);
  };
  return run_color_study(study);
}

}  // namespace

void add_nodes_study(CLI::App& app, int argc, const char* const* argv) {
  auto* command = app.get_subcommand("study")->add_subcommand(
      "nodes", "Whether it matters that two ranks are on the same node or on different ones");
  command->footer(footer);
  auto options = std::make_shared<Options>();
  const auto launch = "Launchers of two ranks";
  command->add_option("--same", options->same, "On one node")->group(launch)->capture_default_str();
  command->add_option("--different", options->different, "On two nodes; emulated ones if not given")->group(launch);
  const auto size = "Size";
  auto* paper = command->add_flag("--paper", options->paper, "Length of a run in the paper: 5 minutes")->group(size);
  command->add_option("--nodes", options->nodes, "Nodes of each worker, separated by commas")
      ->delimiter(',')
      ->group(size)
      ->capture_default_str();
  command->add_option("--replicates", options->replicates, "Runs of each treatment")
      ->group(size)
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--duration", options->duration_s, "Length of a run, seconds")
      ->group(size)
      ->capture_default_str()
      ->excludes(paper)
      ->check(CLI::PositiveNumber);
  command->add_option("--window", options->window_s, "Length of a snapshot, seconds")
      ->group(size)
      ->capture_default_str()
      ->excludes(paper)
      ->check(CLI::PositiveNumber);
  command->add_option("--seed", options->seed, "Seed; replicates use the following ones")->capture_default_str();
  command->add_option("--output", options->output, "Run directory; runs/nodes-<time> if not given");
  command->add_flag("--report", options->report, "Write report.html at the end");
  command->add_flag("--quiet", options->quiet, "No progress line and no table");
  command->callback([options, argc, argv] {
    if (const int code = run(*options, argc, argv); code != 0) throw CLI::RuntimeError(code);
  });
}

}  // namespace laxity::cli
