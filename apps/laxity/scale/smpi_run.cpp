#include "apps/laxity/scale/smpi_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/smpi_ranks/result_file.hpp"
#include "laxity/cli/subprocess.hpp"
#include "laxity/clock/clock.hpp"
#include "laxity/error.hpp"
#include "laxity/mesh/replay.hpp"
#include "laxity/mesh/topologies/generators.hpp"
#include "laxity/metrics/csv_table.hpp"
#include "workloads/coloring/coloring.hpp"

namespace laxity::cli {
namespace {

using nlohmann::json;

constexpr const char* platform_file = "platform.xml";
constexpr const char* hosts_file = "hosts";
constexpr const char* settings_file = "settings.json";
constexpr const char* result_name = "result";
constexpr const char* log_file = "simulator.log";

// Computing takes the time that the program asks for, and testing a request takes none (ranks that test again yield). The
// collectives are logarithmic, as in common MPI libraries.
constexpr auto simulator_options = {"--cfg=smpi/simulate-computation:no",
                                    "--cfg=smpi/test:0",
                                    "--cfg=smpi/iprobe:0",
                                    "--cfg=smpi/grow-injected-times:no",
                                    "--cfg=smpi/barrier:ompi_recursivedoubling",
                                    "--cfg=smpi/allreduce:rdb",
                                    "--cfg=smpi/alltoall:bruck",
                                    "--cfg=smpi/alltoallv:pair",
                                    "--cfg=smpi/host-speed:1Gf"};

std::string program() {
  const char* chosen = std::getenv("LAXITY_SMPI_RANKS");
  return chosen != nullptr ? chosen : LAXITY_SMPI_RANKS;
}

bool is_in_path(const char* name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + '/' + name).c_str(), X_OK) == 0) return true;
  return false;
}

void require_simulator() {
  if (!is_in_path("smpirun"))
    throw Error(
        "laxity scale needs SimGrid: install libsimgrid-dev (Debian) or simgrid (conda), then build the target "
        "smpi_ranks");
  if (access(program().c_str(), X_OK) != 0)
    throw Error(program() + " is not there; build it: cmake --build <build folder> --target smpi_ranks");
}

std::string end_of(const std::filesystem::path& log) {
  std::ifstream file(log);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (line.find("/INFO]") == std::string::npos) lines.push_back(line);
  return lines.empty() ? "its log is empty" : lines.front();
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
    : folder_(std::move(folder)), machine_(machine) {
  require_simulator();
}

ColoringResult SmpiRanks::run(const ColoringRun& run, int ranks_per_host) {
  std::filesystem::create_directories(folder_);
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
                      {"output", (folder_ / result_name).string()}};
  replace_file(folder_ / settings_file, settings.dump());
  write_machine(ranks, ranks_per_host);
  ColoringResult result;
  if (!simulate(ranks)) {
    result.team.interrupted = true;
    return result;
  }
  result = read_result((folder_ / result_name).string());
  std::filesystem::remove(folder_ / result_name);
  for (int rank = 0; rank < ranks; ++rank)
    result.team.workers.push_back({{.process = rank, .processes = ranks, .is_rank = true}, WorkerState::finished, ""});
  result.placement = fmt::format("under SimGrid, {} rank{} per host", ranks_per_host, ranks_per_host == 1 ? "" : "s");
  return result;
}

Configuration SmpiRanks::configuration() const {
  return {{"smpi", true},
          {"simulator", fmt::format("{}", fmt::join(command(0), " "))},
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

std::vector<std::string> SmpiRanks::command(int ranks) const {
  std::vector<std::string> words{"smpirun"};
  if (ranks != 0) {
    words.insert(words.end(), {"-np", std::to_string(ranks), "-platform", (folder_ / platform_file).string(),
                               "-hostfile", (folder_ / hosts_file).string()});
  }
  words.insert(words.end(), simulator_options.begin(), simulator_options.end());
  words.push_back(fmt::format("--cfg=smpi/ois:0:{}:0", machine_.send_overhead_s));
  return words;
}

void SmpiRanks::write_machine(int ranks, int ranks_per_host) const {
  replace_file(folder_ / platform_file,
               fmt::format(R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="hosts" prefix="host" suffix="" radical="0-{}" core="{}" speed="1Gf" bw="{}Gbps" lat="{}us"
           loopback_bw="{}Gbps" loopback_lat="{}us"/>
</platform>
)",
                           (ranks - 1) / ranks_per_host, ranks_per_host, machine_.bandwidth_gbps,
                           machine_.latency_s * 1e6, machine_.bandwidth_gbps, machine_.memory_latency_s * 1e6));
  std::string hosts;
  for (int rank = 0; rank < ranks; ++rank) hosts += fmt::format("host{}\n", rank / ranks_per_host);
  replace_file(folder_ / hosts_file, hosts);
}

bool SmpiRanks::simulate(int ranks) const {
  std::vector<std::string> words = command(ranks);
  words.push_back(program());
  words.push_back((folder_ / settings_file).string());
  const std::filesystem::path log = folder_ / log_file;
  const auto [code, interrupted] = run_logged(words, log);
  if (interrupted) return false;
  if (code != 0)
    throw Error(fmt::format("the simulator ended with code {}: {} (all of it: {})", code, end_of(log), log.string()));
  return true;
}

}  // namespace laxity::cli
