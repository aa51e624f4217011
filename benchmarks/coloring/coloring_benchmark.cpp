// Graph coloring: the cost of the mesh compared to a hand-written loop, and the update rate of each asynchronicity mode
// compared to workers that do not communicate. See README.md.
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "bare_loop.hpp"
#include "benchmarks/rounds.hpp"
#include "laxity/clock/clock.hpp"
#include "laxity/mesh/replay.hpp"
#include "laxity/mesh/topologies/generators.hpp"
#include "laxity/mesh/worker_connector.hpp"
#include "workloads/coloring/coloring.hpp"
#include "workloads/coloring/coloring_run.hpp"

namespace {

using namespace laxity;

struct Effort {
  int rounds = 7;
  int updates = 200'000;
  std::int64_t duration_ns = 300'000'000;
};

double period_ns(int updates, const std::function<void()>& update) {
  const SteadyClock clock;
  const auto begin_ns = clock.now_ns();
  for (int i = 0; i < updates; ++i) update();
  return static_cast<double>(clock.now_ns() - begin_ns) / updates;
}

// One worker, 32 x 64 nodes, the three alternating; they compute the same colors bit by bit.
void views(const Effort& effort) {
  const auto topology = topologies::torus({32, 64});
  const auto partition = partitions::all_in_one(topology);
  const Mesh<StateLayer<NodeColor>> mesh(topology, partition);
  ReplayedRun run({});
  const ColoringOptions options{.seed = 3};
  Coloring<StateLayer<NodeColor>> node(mesh, run.connector(0), options), block(mesh, run.connector(0), options);
  BareLoop bare(32, 64, SeededRandom(options.seed).bits());
  std::vector<double> bare_ns, node_ratio, block_ratio;
  for (int round = 0; round < effort.rounds; ++round) {
    const double loop = period_ns(effort.updates, [&] { bare.update(); });
    bare_ns.push_back(loop);
    node_ratio.push_back(period_ns(effort.updates, [&] { node.update(); }) / loop);
    block_ratio.push_back(loop / period_ns(effort.updates, [&] { block.update_blocks(); }));
    std::printf("  round %d: loop %.0f ns, node view %.2f x its time, block view %.1f x faster, %llu conflicts left\n",
                round, loop, node_ratio.back(), block_ratio.back(),
                static_cast<unsigned long long>(conflicting_edges(topology, bare.color)));
  }
  std::printf(
      "views: bare loop %.0f ns per update of 2048 nodes; node view %.2f x its time; block view %.1f x faster\n",
      median(bare_ns), median(node_ratio), median(block_ratio));
}

double rate(const Topology& topology, const Partition& partition, TeamOptions team, PacingMode mode,
            const Effort& effort, std::int64_t jitter_ns = 0, std::size_t depth = 2,
            LinkGuard guard = LinkGuard::lock_free) {
  ColoringRun run{
      .topology = topology, .partition = partition, .team = team, .pacing = {}, .coloring = {}, .layer = {}};
  run.pacing.mode = mode;
  run.coloring.jitter_ns = jitter_ns;
  run.layer.send_depth = depth;
  run.mutex = guard == LinkGuard::mutex;
  run.duration_ns = effort.duration_ns;
  return run_coloring(run).updates_per_second_per_worker();
}

void modes(const Effort& effort, const char* name, TeamOptions team) {
  const auto topology = topologies::torus({64, 64});
  const auto partition = partitions::blocks(topology, 2);
  const auto tori = topologies::tori(2, {32, 64});
  const auto torus_each = partitions::contiguous(tori, 2);
  std::vector<double> of_mode_4, best_effort, barrier, mutex, jitter;
  for (int round = 0; round < effort.rounds; ++round) {
    const double alone = rate(tori, torus_each, team, PacingMode::isolated, effort);
    const double free = rate(topology, partition, team, PacingMode::none, effort);
    of_mode_4.push_back(free / rate(topology, partition, team, PacingMode::isolated, effort));
    best_effort.push_back(free / alone);
    barrier.push_back(rate(topology, partition, team, PacingMode::every_update, effort) / alone);
    mutex.push_back(rate(topology, partition, team, PacingMode::none, effort, 0, 2, LinkGuard::mutex) / alone);
    const double jittery = rate(topology, partition, team, PacingMode::none, effort, 5000);
    jitter.push_back(jittery / rate(topology, partition, team, PacingMode::every_update, effort, 5000));
  }
  std::printf(
      "%s, 2048 nodes per worker: mode 3 keeps %.2f of the rate without communication (mutex rings %.2f; %.2f of mode "
      "4), mode 0 keeps %.2f; with jitter of mean 5 us mode 3 is %.2f x mode 0\n",
      name, median(best_effort), median(mutex), median(of_mode_4), median(barrier), median(jitter));
}

void dyad(const Effort& effort, const char* name, TeamOptions team) {
  const auto topology = topologies::dyad(2);
  const auto partition = partitions::one_each(topology);
  std::vector<double> periods;
  for (int round = 0; round < effort.rounds; ++round)
    periods.push_back(1e9 / rate(topology, partition, team, PacingMode::none, effort, 0, 64));
  std::printf("%s, one node per worker, depth 64: simstep period %.0f ns\n", name, median(periods));
}

void set_up() {
  const SteadyClock clock;
  const auto begin_ns = clock.now_ns();
  const auto topology = topologies::torus({1000, 1000});
  const auto partition = partitions::blocks(topology, 2);
  const auto graph_ns = clock.now_ns();
  const Mesh<StateLayer<NodeColor>> mesh(topology, partition);
  Team team({.threads = 2});
  team.run([&](Worker& worker) {
    WorkerConnector connector(worker);
    const Coloring<StateLayer<NodeColor>> coloring(mesh, connector, {});
  });
  std::printf(
      "set-up of a torus of 1,000,000 nodes over 2 workers: %.0f ms graph and partition, %.0f ms mesh and workload\n",
      static_cast<double>(graph_ns - begin_ns) * 1e-6, static_cast<double>(clock.now_ns() - graph_ns) * 1e-6);
}

}  // namespace

int main(int argc, char** argv) {
  const auto line = bench::read_command_line(argc, argv, Effort{}.rounds);
  const Effort effort = line.smoke ? Effort{1, 200, 20'000'000} : Effort{.rounds = line.rounds};
  views(effort);
  modes(effort, "2 threads", {.threads = 2});
  modes(effort, "2 processes", {.threads = 1, .processes = 2});
  dyad(effort, "2 threads", {.threads = 2});
  dyad(effort, "2 processes", {.threads = 1, .processes = 2});
  set_up();
}
