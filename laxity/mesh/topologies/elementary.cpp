// Elementary graphs.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/mesh/topologies/generators.hpp"

namespace laxity::topologies {
namespace {

void check_even(const char* name, std::uint32_t nodes) {
  if (nodes % 2 == 0) return;
  throw UsageError(std::string(name) + ": " + std::to_string(nodes) + " nodes do not form pairs; give an even number");
}

}  // namespace

Topology empty(std::uint32_t nodes) { return Topology::from_edges(nodes, {}); }

Topology ring(std::uint32_t nodes) {
  std::vector<Edge> edges;
  if (nodes > 1) {
    edges.reserve(nodes);
    for (std::uint32_t node = 0; node < nodes; ++node) edges.push_back({node, node + 1 < nodes ? node + 1 : 0});
  }
  return Topology::from_edges(nodes, std::move(edges));
}

Topology loop(std::uint32_t nodes) {
  std::vector<Edge> edges;
  edges.reserve(nodes);
  for (std::uint32_t node = 0; node < nodes; ++node) edges.push_back({node, node});
  return Topology::from_edges(nodes, std::move(edges));
}

Topology dyad(std::uint32_t nodes) {
  check_even("dyad", nodes);
  std::vector<Edge> edges;
  edges.reserve(nodes);
  for (std::uint32_t node = 0; node < nodes; ++node) edges.push_back({node, node ^ 1U});
  return Topology::from_edges(nodes, std::move(edges));
}

Topology producer_consumer(std::uint32_t nodes) {
  check_even("producer_consumer", nodes);
  std::vector<Edge> edges;
  edges.reserve(nodes / 2);
  for (std::uint32_t node = 0; node < nodes; node += 2) edges.push_back({node, node + 1});
  return Topology::from_edges(nodes, std::move(edges));
}

Topology complete(std::uint32_t nodes) {
  const std::uint64_t count = nodes == 0 ? 0 : std::uint64_t{nodes} * (nodes - 1);
  if (count > Topology::max_edges) {
    throw UsageError("complete: " + std::to_string(nodes) + " nodes have " + std::to_string(count) +
                     " edges; at most " + std::to_string(Topology::max_edges) + " are supported");
  }
  std::vector<Edge> edges;
  edges.reserve(count);
  for (std::uint32_t source = 0; source < nodes; ++source) {
    for (std::uint32_t target = 0; target < nodes; ++target) {
      if (target != source) edges.push_back({source, target});
    }
  }
  return Topology::from_edges(nodes, std::move(edges));
}

}  // namespace laxity::topologies
