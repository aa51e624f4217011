// laxity scale: graph coloring on many simulated ranks, to see how best effort scales beyond this machine.
//
// Source of the claims: Moreno, Rodriguez Papa, Ofria, "Best-effort communication improves performance and scales
// robustly on conventional hardware", III-A (rates at 64 processes), III-F (medians from 64 to 256), III-G (a faulty
// node).
// Elsewhere: one run (scale/smpi_run.hpp), the study around it (color/study.hpp), the claims (scale/claims.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "apps/laxity/cli/command.hpp"
#include "apps/laxity/cli/run_name.hpp"
#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/color/run.hpp"
#include "apps/laxity/launch/python_interpreter.hpp"
#include "apps/laxity/scale/claims.hpp"
#include "apps/laxity/scale/smpi_run.hpp"
#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

constexpr const char* examples = R"(Examples:
  laxity scale --report                                  1 to 64 ranks, modes 0, 3 and 4, a light and a heavy load
  laxity scale --ranks 64,256 --mode 0,1,2,3,4 --replicates 5
  laxity scale --ranks 256 --mode 3 --work 0 --nodes 1 --depth 64

Each rank runs the ordinary program over MPI under SimGrid (SMPI); the time that an update takes is drawn from times
measured on this machine. A study that was interrupted goes on where it stopped: give it the same options and --output.
)";

struct Options {
  std::vector<int> ranks{1, 16, 64};
  std::vector<std::string> modes{"0", "3", "4"};
  std::vector<std::uint64_t> works{0, 4096};
  std::uint32_t nodes = 2048;
  int replicates = 3;
  double duration_ms = 10;
  double window_ms = 4;
  double rolling_ms = 1;
  double fixed_ms = 2;
  double pause_us = 100;
  std::size_t depth = 2;
  std::uint64_t seed = 1;
  SimulatedMachine machine;
  std::string output;
  bool report = false;
  bool quiet = false;
};

std::vector<ColorTreatment> treatments_of(const Options& options) {
  const auto pause_ns = static_cast<std::int64_t>(std::llround(options.pause_us * 1e3));
  std::vector<ColorTreatment> treatments;
  for (const std::uint64_t work : options.works) {
    for (const int ranks : options.ranks) {
      const Shape shape{1, ranks, true};
      for (const std::string& mode : options.modes)
        treatments.push_back({shape, mode_of(mode), options.nodes, work, false, {}});
    }
  }
  const int most = std::ranges::max(options.ranks);
  const bool best_effort =
      std::ranges::any_of(options.modes, [](const std::string& mode) { return mode_of(mode) == Mode::none; });
  if (most > 2 && best_effort && pause_ns > 0)
    treatments.push_back(
        {{1, most, true}, Mode::none, options.nodes, options.works.front(), false, {Fault::slow, most / 2, pause_ns}});
  return treatments;
}

void check(const Options& options) {
  const auto require = [](bool holds, const std::string& what) {
    if (!holds) throw UsageError(what);
  };
  constexpr int most_ranks = 4096;
  for (const int ranks : options.ranks)
    require(ranks >= 1 && ranks <= most_ranks, fmt::format("--ranks {}: must be 1 to {}", ranks, most_ranks));
  require(options.nodes >= 1, "--nodes: at least 1");
  require(options.depth >= 1 && options.depth <= 65'536, "--depth: must be 1 to 65536");
  const auto require_time = [&](const char* option, double time_ms) {
    require(time_ms > 0 && time_ms <= 1e6, fmt::format("{} {}: must be above 0 and at most 1e6 ms", option, time_ms));
  };
  require_time("--duration", options.duration_ms);
  require_time("--window", options.window_ms);
  require_time("--rolling", options.rolling_ms);
  require_time("--fixed", options.fixed_ms);
  require(options.pause_us >= 0 && options.pause_us <= 1e9, "--pause: must be 0 to 1e9 us");
}

int run(const Options& options, int argc, const char* const* argv) {
  check(options);
  ColorStudy study;
  study.name = "scale";
  study.output = options.output.empty() ? default_output(study.name) : options.output;
  study.treatments = treatments_of(options);
  study.replicates = options.replicates;
  study.duration_s = options.duration_ms * 1e-3;
  study.window_s = options.window_ms * 1e-3;
  study.coloring.seed = options.seed;
  study.layer.send_depth = options.depth;
  study.quiet = options.quiet;
  study.argc = argc;
  study.argv = argv;

  SimulatedRanks ranks(std::filesystem::path(study.output) / "smpi", options.machine);
  study.elsewhere = ranks.configuration();
  study.elsewhere.emplace_back("rolling_ms", options.rolling_ms);
  study.elsewhere.emplace_back("fixed_ms", options.fixed_ms);
  study.run_elsewhere = [&](const ColoringRun& planned, const ColorTreatment&) {
    ColoringRun run = planned;
    run.pacing.rolling_ns = std::llround(options.rolling_ms * 1e6);
    run.pacing.fixed_ns = std::llround(options.fixed_ms * 1e6);
    return ranks.run(run);
  };
  if (const int code = run_color_study(study); code != 0) return code;
  const std::string claims = scale_claims(study.output);
  if (!options.quiet) fmt::print("{}", claims);
  return options.report ? run_python_laxity({"report", study.output}) : 0;
}

}  // namespace

void add_scale(Command& app, int argc, const char* const* argv) {
  auto* command = app.add_subcommand("scale", "Color a graph on many simulated ranks (needs SimGrid)");
  command->footer(examples);
  auto options = std::make_shared<Options>();
  const auto add = [&](const char* group, const char* name, auto& value, const char* what) {
    return command->add_option(name, value, what)->capture_default_str()->group(group);
  };
  const char* what = "What is run";
  add(what, "--ranks", options->ranks, "Numbers of ranks, separated by commas")->delimiter(',');
  add(what, "--mode", options->modes, "Asynchronicity modes, separated by commas")->delimiter(',');
  add(what, "--work", options->works, "Work added to an update, draws of std::mt19937, separated by commas")
      ->delimiter(',');
  add(what, "--nodes", options->nodes, "Nodes of each rank");
  add(what, "--depth", options->depth, "Frames that may be on their way to a neighbor");
  add(what, "--replicates", options->replicates, "Runs of each treatment")->positive();
  add(what, "--duration", options->duration_ms, "Simulated length of a run, ms");
  add(what, "--window", options->window_ms, "Simulated length of a snapshot, ms");
  add(what, "--rolling", options->rolling_ms, "Mode 1: from a meeting to the next, simulated ms");
  add(what, "--fixed", options->fixed_ms, "Mode 2: meetings at multiples of this, simulated ms");
  add(what, "--pause", options->pause_us, "By which an update of a slow rank takes longer, us; 0: no run with one");
  add(what, "--seed", options->seed, "Seed; replicates use the following ones");
  const char* machine = "Simulated machine";
  add(machine, "--latency", options->machine.latency_us, "Of a link, us; there are two between nodes");
  add(machine, "--bandwidth", options->machine.bandwidth_gbps, "Of a link, gigabits per second");
  add(machine, "--send-overhead", options->machine.send_overhead_ns, "Of a processor for each message, ns");
  add(machine, "--jitter", options->machine.jitter_us,
      "Mean of an exponentially distributed time that each update takes longer, us");
  command->add_option("--output", options->output, "Run directory; runs/scale-<time> if not given");
  command->add_flag("--report", options->report, "Write report.html at the end");
  command->add_flag("--quiet", options->quiet, "No progress line and no table");
  command->callback([options, argc, argv] {
    if (const int code = run(*options, argc, argv); code != 0) throw Exit{code};
  });
}

}  // namespace laxity::cli
