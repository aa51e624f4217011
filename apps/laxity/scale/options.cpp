// laxity scale: graph coloring on many MPI ranks under SimGrid (SMPI), to study scaling beyond this machine.
//
// Elsewhere: one run (scale/smpi_run.hpp), the study around it (color/run.hpp), the results of the paper that the study
// repeats (`python -m laxity claims`).
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "apps/laxity/cli/command.hpp"
#include "apps/laxity/cli/run_name.hpp"
#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/color/run.hpp"
#include "apps/laxity/launch/python_interpreter.hpp"
#include "apps/laxity/scale/smpi_run.hpp"
#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

constexpr const char* examples = R"(Examples:
  laxity scale --report                                  1 to 64 ranks, modes 0, 3 and 4, a light and a heavy load
  laxity scale --ranks 64,256 --mode 0,1,2,3,4 --replicates 5
  laxity scale --ranks 16,64,256 --per-host 1,4 --mode 3 --work 0 --nodes 1 --depth 64

Each rank runs the ordinary program over MPI under SimGrid (SMPI). The duration of an update is drawn from durations that
were measured on this machine. To resume an interrupted study, repeat the command with its --output.
)";

struct Options {
  std::vector<int> ranks{1, 16, 64};
  std::vector<int> per_host{1};
  std::vector<std::string> modes{"0", "3", "4"};
  std::vector<std::uint64_t> works{0, 4096};
  std::uint32_t nodes = 2048;
  int replicates = 3;
  double duration_s = 10e-3;
  double window_s = 4e-3;
  std::int64_t rolling_ns = 1'000'000;
  std::int64_t fixed_ns = 2'000'000;
  std::int64_t pause_ns = 100'000;
  std::size_t depth = 2;
  std::uint64_t seed = 1;
  SmpiMachine machine;
  std::string output;
  bool report = false;
  bool quiet = false;
};

int hosts_of(int ranks, int per_host) { return (ranks + per_host - 1) / per_host; }

std::vector<ColorTreatment> treatments_of(const Options& options) {
  std::vector<ColorTreatment> treatments;
  for (const std::uint64_t work : options.works)
    for (const int ranks : options.ranks)
      for (const int per_host : options.per_host)
        for (const std::string& mode : options.modes)
          treatments.push_back({.shape = {1, ranks, true},
                                .mode = mode_of(mode),
                                .nodes_per_worker = options.nodes,
                                .work = work,
                                .hosts = hosts_of(ranks, per_host)});
  const int max_ranks = std::ranges::max(options.ranks);
  const bool best_effort =
      std::ranges::any_of(options.modes, [](const std::string& mode) { return mode_of(mode) == PacingMode::none; });
  if (max_ranks > 2 && best_effort && options.pause_ns > 0)
    treatments.push_back({.shape = {1, max_ranks, true},
                          .mode = PacingMode::none,
                          .nodes_per_worker = options.nodes,
                          .work = options.works.front(),
                          .fault = {WorkerFault::Kind::slow, max_ranks / 2, options.pause_ns},
                          .hosts = hosts_of(max_ranks, options.per_host.front())});
  return treatments;
}

void check(const Options& options) {
  const auto require = [](bool holds, const std::string& what) {
    if (!holds) throw UsageError(what);
  };
  constexpr int max_ranks = 4096;
  for (const int ranks : options.ranks)
    require(ranks >= 1 && ranks <= max_ranks, fmt::format("--ranks {}: must be 1 to {}", ranks, max_ranks));
  for (const int per_host : options.per_host)
    require(per_host >= 1 && per_host <= max_ranks, fmt::format("--per-host {}: must be 1 to {}", per_host, max_ranks));
  require(options.nodes >= 1, "--nodes: at least 1");
  require(options.depth >= 1 && options.depth <= 65'536, "--depth: must be 1 to 65536");
}

// Compares the study with the results of the paper, in claims.csv and on the terminal. The study is complete without.
void write_claims(const Options& options, const std::string& directory) {
  std::vector<std::string> arguments{"claims", directory};
  if (options.quiet) arguments.emplace_back("--quiet");
  try {
    run_python_laxity(arguments);
  } catch (const Error& error) {
    fmt::print(stderr, "laxity: claims.csv is missing: {}\n", error.what());
  }
}

int run(const Options& options, int argc, const char* const* argv) {
  check(options);
  ColorStudy study;
  study.name = "scale";
  study.output = options.output.empty() ? default_output(study.name) : options.output;
  study.treatments = treatments_of(options);
  study.replicates = options.replicates;
  study.duration_s = options.duration_s;
  study.window_s = options.window_s;
  study.coloring.seed = options.seed;
  study.layer.send_depth = options.depth;
  study.quiet = options.quiet;
  study.argc = argc;
  study.argv = argv;

  SmpiRanks ranks(std::filesystem::path(study.output) / "smpi", options.machine);
  study.elsewhere = ranks.configuration();
  study.elsewhere.emplace_back("rolling_ms", static_cast<double>(options.rolling_ns) * 1e-6);
  study.elsewhere.emplace_back("fixed_ms", static_cast<double>(options.fixed_ns) * 1e-6);
  study.run_elsewhere = [&](const ColoringRun& planned, const ColorTreatment& treatment) {
    ColoringRun run = planned;
    run.pacing.rolling_ns = options.rolling_ns;
    run.pacing.fixed_ns = options.fixed_ns;
    const int ranks_of_run = treatment.shape.workers();
    return ranks.run(run, (ranks_of_run + treatment.hosts - 1) / treatment.hosts);
  };
  if (const int code = run_color_study(study); code != 0) return code;
  write_claims(options, study.output);
  return options.report ? run_python_laxity({"report", study.output}) : 0;
}

}  // namespace

void add_scale(Command& app, int argc, const char* const* argv) {
  auto* command = app.add_subcommand("scale", "Color a graph on many MPI ranks under SimGrid (SMPI)");
  command->footer(examples);
  auto options = std::make_shared<Options>();
  const auto add = [&](const char* group, const char* name, auto& value, const char* what) {
    return command->add_option(name, value, what)->capture_default_str()->group(group);
  };
  const auto add_duration = [&](const char* group, const char* name, auto& value, const char* what,
                                const DurationRange& range) {
    return command->add_duration(name, value, what, range)->capture_default_str()->group(group);
  };
  const char* what = "Study";
  add(what, "--ranks", options->ranks, "Numbers of ranks, separated by commas")->delimiter(',');
  add(what, "--mode", options->modes, "Asynchronicity modes, numbers or names, separated by commas")
      ->delimiter(',')
      ->suggest({"every-update", "rolling", "fixed", "best-effort", "isolated"});
  add(what, "--work", options->works, "Synthetic work per update, draws of std::mt19937, separated by commas")
      ->delimiter(',');
  add(what, "--per-host", options->per_host, "Ranks per host, separated by commas")->delimiter(',');
  add(what, "--nodes", options->nodes, "Nodes per rank");
  add(what, "--depth", options->depth, "Frames in flight to a neighbor, at most");
  add(what, "--replicates", options->replicates, "Runs of each treatment")->at_least(1);
  constexpr DurationRange simulated{.min_s = 1e-9, .max_s = 1e3};
  add_duration(what, "--duration", options->duration_s, "Simulated duration of a run", simulated);
  add_duration(what, "--window", options->window_s, "Simulated duration of a snapshot", simulated);
  add_duration(what, "--rolling", options->rolling_ns, "Mode 1: simulated time between barriers", simulated);
  add_duration(what, "--fixed", options->fixed_ns, "Mode 2: barriers at multiples of this simulated time", simulated);
  add_duration(what, "--pause", options->pause_ns,
               "Additional duration of each update of the slow rank; 0: no run with a slow rank", {.max_s = 1e3});
  add(what, "--seed", options->seed, "Seed of the first replicate; the others use the following seeds");
  const char* machine = "Simulated machine";
  add_duration(machine, "--latency", options->machine.latency_s, "Latency of a link; there are two links between hosts",
               {.min_s = 1e-9, .max_s = 1});
  add(machine, "--bandwidth", options->machine.bandwidth_gbps, "Bandwidth of a link, gigabits per second")
      ->in_range(0.001, 1e5);
  add_duration(machine, "--memory-latency", options->machine.memory_latency_s,
               "Latency of a message between ranks of one host", {.min_s = 1e-9, .max_s = 1});
  add_duration(machine, "--send-overhead", options->machine.send_overhead_s, "Processor time per message sent",
               {.max_s = 1});
  add_duration(machine, "--jitter", options->machine.jitter_s,
               "Mean of the exponentially distributed additional duration of each update", {.max_s = 1e3});
  command->add_option("--output", options->output, "Run directory; runs/scale-<time> if not given");
  command->add_flag("--report", options->report, "Write report.html at the end");
  command->add_flag("--quiet", options->quiet, "No progress line and no table");
  command->callback([options, argc, argv] {
    if (const int code = run(*options, argc, argv); code != 0) throw Exit{code};
  });
}

}  // namespace laxity::cli
