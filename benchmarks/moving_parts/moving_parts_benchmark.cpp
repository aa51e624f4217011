// What do several parts per worker cost, and what does a migration cost? See README.md.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

#include "benchmarks/rounds.hpp"
#include "laxity/clock/clock.hpp"
#include "laxity/launch/team.hpp"
#include "laxity/mesh/migration/migratable_parts.hpp"
#include "laxity/mesh/migration/part_connector.hpp"
#include "laxity/mesh/topologies/generators.hpp"
#include "laxity/mesh/worker_connector.hpp"
#include "workloads/coloring/coloring.hpp"

using namespace laxity;

namespace {

using Program = Coloring<StateLayer<NodeColor>>;

struct Effort {
  int rounds = 9;
  int updates = 20'000;
  int moves = 200;
};

template <class Act>
double ns_each(int times, Act&& act) {
  const SteadyClock clock;
  const std::int64_t begin_ns = clock.now_ns();
  for (int i = 0; i < times; ++i) act();
  return static_cast<double>(clock.now_ns() - begin_ns) / times;
}

/// A mesh that one worker has in a number of parts.
class Cut {
 public:
  Cut(const Topology& topology, std::uint32_t parts)
      : parts_(parts), partition_(partitions::blocks(topology, parts)), mesh_(topology, partition_) {}

  [[nodiscard]] MigratableParts<Program> parts_of(Worker& worker) const {
    return {worker, parts_, [this, &worker](std::uint32_t part, Archive* arrived) {
              PartConnector connector(worker, parts_, part);
              return arrived == nullptr ? std::make_unique<Program>(mesh_, connector, ColoringOptions{})
                                        : std::make_unique<Program>(mesh_, connector, ColoringOptions{}, *arrived);
            }};
  }
  [[nodiscard]] const Mesh<StateLayer<NodeColor>>& mesh() const noexcept { return mesh_; }

 private:
  std::uint32_t parts_;
  Partition partition_;
  Mesh<StateLayer<NodeColor>> mesh_;
};

// One worker, the whole mesh in every update.
void updates(const Effort& effort) {
  const auto topology = topologies::torus({32, 64});
  const Cut whole(topology, 1);
  double whole_ns = 0;
  Team({}).run([&](Worker& worker) {
    WorkerConnector connector(worker);
    Program program(whole.mesh(), connector, ColoringOptions{});
    std::vector<double> rounds;
    for (int round = 0; round < effort.rounds; ++round)
      rounds.push_back(ns_each(effort.updates, [&] { program.update(), worker.update_done(); }));
    whole_ns = median(rounds);
  });
  std::printf("2048 nodes, one worker: %.0f ns an update as a part of its own", whole_ns);
  for (const std::uint32_t count : {1U, 4U, 16U}) {
    const Cut cut(topology, count);
    Team({}).run([&](Worker& worker) {
      MigratableParts<Program> parts = cut.parts_of(worker);
      const auto update = [&] { parts.for_each([](Program& program) { program.update(); }), worker.update_done(); };
      std::vector<double> still, reacting;
      for (int round = 0; round < effort.rounds; ++round) {
        still.push_back(ns_each(effort.updates, update));
        reacting.push_back(ns_each(effort.updates, [&] { update(), parts.react(worker.quality()); }));
      }
      std::printf("; in %u parts %.0f ns, ready to move %+.0f ns", count, median(still),
                  median(reacting) - median(still));
    });
  }
  std::printf("\n");
}

// A part that migrates to its own worker: written, destroyed, built, read.
void moves(const Effort& effort) {
  for (const std::uint32_t side : {16U, 64U, 256U}) {
    const auto topology = topologies::torus({4 * side, side});
    const Cut cut(topology, 4);
    Team({}).run([&](Worker& worker) {
      MigratableParts<Program> parts = cut.parts_of(worker);
      const double ns = ns_each(effort.moves, [&] { parts.migrate(1, 0), parts.receive(); });
      std::printf("a move of a part of %u nodes: %.0f us, of a mesh of %u\n", side * side, ns * 1e-3, topology.nodes());
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto line = bench::read_command_line(argc, argv, Effort{}.rounds);
  const Effort effort = line.smoke ? Effort{1, 100, 3} : Effort{.rounds = line.rounds};
  updates(effort);
  moves(effort);
}
