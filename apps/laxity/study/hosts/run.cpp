#include "apps/laxity/study/hosts/run.hpp"

#include <cmath>
#include <utility>

#include "apps/laxity/color/study.hpp"
#include "apps/laxity/study/launched_study.hpp"
#include "laxity/cli/run_name.hpp"
#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

std::vector<std::string> different_hosts(const HostsOptions& options, const std::string& loss) {
  return options.different.empty() ? launcher_of_emulated_hosts(loss) : launcher_named(options.different);
}

ColorStudy study_of(const std::string& name, const HostsOptions& options) {
  ColorStudy study;
  study.name = name;
  study.output = options.output.empty() ? default_output(study.name) : options.output;
  study.replicates = options.replicates;
  study.duration_s = options.duration_s;
  study.window_s = options.window_s;
  study.coloring.seed = options.seed;
  study.layer.send_depth = 64;
  study.one_way_latency = true;
  study.report = options.report;
  study.quiet = options.quiet;
  study.argc = options.argc;
  study.argv = options.argv;
  return study;
}

}  // namespace

int run_hosts_study(const HostsOptions& options) {
  ColorStudy study = study_of("hosts", options);
  if (options.paper) {
    study.duration_s = 302;
    study.window_s = 1;
    study.interval_s = 60;
  }
  for (const std::uint32_t nodes : options.nodes)
    for (const int hosts : {1, 2})
      study.treatments.push_back({{1, 2, true}, PacingMode::none, nodes, 0, false, {}, {}, hosts});
  return run_on_launched_ranks({launcher_named(options.same), different_hosts(options, "0")}, std::move(study));
}

int run_faulty_host_study(const HostsOptions& options) {
  ColorStudy study = study_of("faulty-host", options);
  if (options.duration_s <= options.frozen_s) throw UsageError("--duration: must be longer than --frozen");
  const auto pause_ns = static_cast<std::int64_t>(std::llround(options.frozen_s * 1e9));
  for (const std::uint32_t nodes : options.nodes)
    for (const WorkerFault::Kind fault : {WorkerFault::Kind::none, WorkerFault::Kind::freeze})
      study.treatments.push_back(
          {{1, 2 * options.ranks, true}, PacingMode::none, nodes, 0, false, {fault, options.ranks, pause_ns}, {}, 2});
  std::vector<std::int64_t> frozen;
  for (int worker = options.ranks; worker < 2 * options.ranks; ++worker) frozen.push_back(worker);
  study.elsewhere.emplace_back("frozen_workers", frozen);
  return run_on_launched_ranks({{}, different_hosts(options, options.loss)}, std::move(study));
}

}  // namespace laxity::cli
