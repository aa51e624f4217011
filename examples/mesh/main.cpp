// Every node of a torus learns the largest number by gossip. Two workers update their halves without a barrier.
#include <algorithm>
#include <array>
#include <iostream>

#include "laxity/launch/team.hpp"
#include "laxity/mesh/layers/state_layer.hpp"
#include "laxity/mesh/mesh.hpp"
#include "laxity/mesh/topologies/generators.hpp"
#include "laxity/mesh/worker_connector.hpp"

int main() {
  const auto topology = laxity::topologies::torus({16, 16});
  const auto partition = laxity::partitions::blocks(topology, 2);
  const laxity::Mesh<laxity::StateLayer<int>> mesh(topology, partition);

  laxity::Team team({.threads = 2});  // {.threads = 1, .processes = 2} needs no other change
  auto& informed = team.arena().object<std::array<int, 2>>(laxity::BlockKey("informed"));

  const auto gossip = [&](laxity::Worker& worker) {
    laxity::WorkerConnector connector(worker);
    auto part = mesh.part(connector);
    for (auto node : part.nodes()) node.put(static_cast<int>(node.id()));
    while (!worker.stop_requested()) {
      part.pull();  // reads the newest messages
      for (auto node : part.nodes())
        for (const auto input : node.inputs()) node.state() = std::max(node.state(), input.get());
      part.flush();  // sends to the neighbors; refused if their buffers are full
      worker.update_done();
    }
    for (auto node : part.nodes()) informed[static_cast<std::size_t>(worker.id())] += node.state() == 255;
  };
  int ticks = 0;
  const auto report = team.run(gossip, [&] {  // called about fifty times per second until the workers end
    if (team.all_are_updating() && ++ticks == 10) team.request_stop();
  });
  std::cout << informed[0] << " and " << informed[1] << " nodes know the largest number\n" << report.losses();
}
