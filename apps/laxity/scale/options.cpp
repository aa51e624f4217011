// laxity scale: graph coloring on many MPI ranks under SimGrid (SMPI), to study scaling beyond this machine.
//
// Elsewhere: the study (scale/run.hpp), which prints as those of graph coloring do (color/print.hpp).
#include <fmt/format.h>

#include <memory>
#include <string>

#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/scale/run.hpp"
#include "laxity/cli/command.hpp"
#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

constexpr const char* scale_examples = R"(Examples:
  laxity scale --report                                  1 to 64 ranks, modes 0, 3 and 4, a light and a heavy load
  laxity scale --ranks 64,256 --mode 0,1,2,3,4 --replicates 5
  laxity scale --ranks 16,64,256 --per-host 1,4 --mode 3 --work 0 --nodes 1 --depth 64

Each rank runs the ordinary program over MPI under SimGrid (SMPI). The duration of an update is drawn from durations that
were measured on this machine. To resume an interrupted study, repeat the command with its --output.
)";

void check(const ScaleOptions& options) {
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

}  // namespace

void add_scale(Command& app, int argc, const char* const* argv) {
  auto* command = app.add_subcommand("scale", "Color a graph on many MPI ranks under SimGrid (SMPI)");
  command->footer(scale_examples);
  auto options = std::make_shared<ScaleOptions>();
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
    check(*options);
    options->argc = argc;
    options->argv = argv;
    if (const int code = run_scale(*options); code != 0) throw Exit{code};
  });
}

}  // namespace laxity::cli
