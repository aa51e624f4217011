// The treatments of a study of laxity scale, its runs and its comparison with the paper.
#include "apps/laxity/scale/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "apps/laxity/color/run.hpp"
#include "laxity/cli/python_interpreter.hpp"
#include "laxity/cli/run_name.hpp"
#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

int hosts_of(int ranks, int per_host) { return (ranks + per_host - 1) / per_host; }

std::vector<ColorTreatment> treatments_of(const ScaleOptions& options) {
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

// Compares the study with the results of the paper, in claims.csv and on the terminal. The study is complete without.
void write_claims(const ScaleOptions& options, const std::string& directory) {
  std::vector<std::string> arguments{"claims", directory};
  if (options.quiet) arguments.emplace_back("--quiet");
  try {
    run_python_laxity(arguments);
  } catch (const Error& error) {
    fmt::print(stderr, "laxity: claims.csv is missing: {}\n", error.what());
  }
}

}  // namespace

int run_scale(const ScaleOptions& options) {
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
  study.argc = options.argc;
  study.argv = options.argv;

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

}  // namespace laxity::cli
