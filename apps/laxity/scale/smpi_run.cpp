#include "apps/laxity/scale/smpi_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/smpi_ranks/result_file.hpp"
#include "laxity/clock/clock.hpp"
#include "laxity/mesh/replay.hpp"
#include "laxity/mesh/topologies/generators.hpp"
#include "laxity/metrics/csv_table.hpp"
#include "workloads/coloring/coloring.hpp"

namespace laxity::cli {
namespace {

using nlohmann::json;

// The collectives are logarithmic, as in common MPI libraries.
std::vector<std::string> options_of(const SmpiMachine& machine) {
  return {"--cfg=smpi/barrier:ompi_recursivedoubling", "--cfg=smpi/allreduce:rdb", "--cfg=smpi/alltoall:bruck",
          "--cfg=smpi/alltoallv:pair", fmt::format("--cfg=smpi/ois:0:{}:0", machine.send_overhead_s)};
}

/// Durations of updates of one worker alone, ns.
std::vector<double> measure_updates_ns(std::uint32_t nodes, const ColoringOptions& options) {
  const auto topology = topologies::torus(topologies::near_cube(nodes, 2));
  const auto partition = partitions::all_in_one(topology);
  const Mesh<StateLayer<NodeColor>> mesh(topology, partition);
  ReplayedRun run({});
  Coloring<StateLayer<NodeColor>> coloring(mesh, run.connector(0), {.seed = options.seed, .work = options.work});
  constexpr std::int64_t warm_ns = 50'000'000, max_ns = 500'000'000;
  constexpr std::size_t max_times = 4096, min_times = 16;
  const SteadyClock clock;
  const std::int64_t begin_ns = clock.now_ns();
  while (clock.now_ns() - begin_ns < warm_ns) coloring.update();
  std::vector<double> times_ns;
  std::int64_t before_ns = clock.now_ns();
  while (times_ns.size() < max_times && (before_ns - begin_ns < max_ns || times_ns.size() < min_times)) {
    coloring.update();
    const std::int64_t after_ns = clock.now_ns();
    times_ns.push_back(static_cast<double>(after_ns - before_ns));
    before_ns = after_ns;
  }
  return times_ns;
}

}  // namespace

SmpiRanks::SmpiRanks(std::filesystem::path folder, const SmpiMachine& machine)
    : folder_(std::move(folder)), machine_(machine), launcher_(folder_, "smpi_ranks", options_of(machine)) {}

ColoringResult SmpiRanks::run(const ColoringRun& run, int ranks_per_host) {
  const auto ranks = static_cast<int>(run.partition.workers());
  const bool slowed = run.fault.kind == WorkerFault::Kind::slow;
  const std::uint32_t nodes = run.topology.nodes() / run.partition.workers();
  const json settings{{"extents", run.topology.extents()},
                      {"duration_ns", run.duration_ns},
                      {"window_ns", run.window_ns},
                      {"seed", run.coloring.seed},
                      {"depth", run.layer.send_depth},
                      {"mode", std::string(name_of(run.pacing.mode))},
                      {"rolling_ns", run.pacing.rolling_ns},
                      {"fixed_ns", run.pacing.fixed_ns},
                      {"update_ns", update_times_ns(nodes, run.coloring)},
                      {"jitter_ns", machine_.jitter_s * 1e9},
                      {"slow_rank", slowed ? run.fault.worker : -1},
                      {"pause_ns", slowed ? run.fault.pause_ns : 0},
                      {"output", launcher_.result_file().string()}};
  ColoringResult result;
  if (!launcher_.run(ranks,
                     {.ranks_per_host = ranks_per_host,
                      .latency_s = machine_.latency_s,
                      .bandwidth_gbps = machine_.bandwidth_gbps,
                      .memory_latency_s = machine_.memory_latency_s,
                      .memory_bandwidth_gbps = machine_.bandwidth_gbps},
                     settings.dump())) {
    result.team.interrupted = true;
    return result;
  }
  result = read_result(launcher_.result_file().string());
  std::filesystem::remove(launcher_.result_file());
  for (int rank = 0; rank < ranks; ++rank)
    result.team.workers.push_back({{.process = rank, .processes = ranks, .is_rank = true}, WorkerState::finished, ""});
  result.placement = fmt::format("under SimGrid, {} rank{} per host", ranks_per_host, ranks_per_host == 1 ? "" : "s");
  return result;
}

Configuration SmpiRanks::configuration() const {
  return {{"smpi", true},
          {"simulator", fmt::format("{}", fmt::join(launcher_.command(), " "))},
          {"latency_us", machine_.latency_s * 1e6},
          {"bandwidth_gbps", machine_.bandwidth_gbps},
          {"memory_latency_us", machine_.memory_latency_s * 1e6},
          {"send_overhead_ns", machine_.send_overhead_s * 1e9},
          {"jitter_us", machine_.jitter_s * 1e6}};
}

std::vector<double> SmpiRanks::update_times_ns(std::uint32_t nodes, const ColoringOptions& options) const {
  const std::filesystem::path path = folder_ / fmt::format("update_ns_{}_{}.json", nodes, options.work);
  if (std::ifstream file(path); file) return json::parse(file).get<std::vector<double>>();
  std::vector<double> times_ns = measure_updates_ns(nodes, options);
  replace_file(path, json(times_ns).dump());
  return times_ns;
}

}  // namespace laxity::cli
