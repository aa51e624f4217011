// The gossip of examples/mesh in eight parts. Worker 0 is slow, so its parts migrate to worker 1 until it has one left.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <thread>

#include "laxity/launch/team.hpp"
#include "laxity/mesh/layers/state_layer.hpp"
#include "laxity/mesh/mesh.hpp"
#include "laxity/mesh/migration/migratable_parts.hpp"
#include "laxity/mesh/migration/part_connector.hpp"
#include "laxity/mesh/topologies/generators.hpp"

constexpr int workers = 2, parts_each = 4;

int main() {
  using Gossip = laxity::MeshPart<laxity::StateLayer<int>>;
  const auto topology = laxity::topologies::torus({16, 16});
  const auto partition = laxity::partitions::blocks(topology, workers * parts_each);
  const laxity::Mesh<laxity::StateLayer<int>> mesh(topology, partition);

  laxity::Team team({.threads = 1, .processes = workers});  // {.threads = 2} needs no other change
  const laxity::PartOwners owners(team.arena(), workers, parts_each);

  const auto report = team.run(
      [&](laxity::Worker& worker) {
        laxity::MigratableParts<Gossip> parts(worker, parts_each, [&](std::uint32_t number, laxity::Archive* arrived) {
          laxity::PartConnector connector(worker, parts_each, number);
          auto part = std::make_unique<Gossip>(mesh.part(connector));
          if (arrived != nullptr)
            part->serialize(*arrived);  // a part that migrated here: reads its state
          else
            for (auto node : part->nodes()) node.put(static_cast<int>(node.id()));
          return part;
        });
        while (!worker.stop_requested()) {
          parts.for_each([](Gossip& part) {
            part.pull();
            for (auto node : part.nodes())
              for (const auto input : node.inputs()) node.state() = std::max(node.state(), input.get());
            part.flush();
          });
          if (worker.id() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
          worker.update_done();
          parts.react(worker.quality());  // receives parts, and migrates one if this worker is slow
        }
      },
      [&] {
        if (owners.parts_of(0) == 1) team.request_stop();
      });
  std::cout << owners.parts_of(0) << " part is with worker 0, " << owners.parts_of(1) << " are with worker 1\n"
            << report.losses();
}
