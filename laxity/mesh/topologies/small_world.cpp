// Small worlds: short paths between all nodes although most edges are local.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/mesh/topologies/generators.hpp"
#include "laxity/random.hpp"

namespace laxity::topologies {
namespace {

// A set of undirected connections.
class Connections {
 public:
  explicit Connections(std::size_t expected) { pairs_.reserve(expected); }
  [[nodiscard]] bool has(std::uint32_t a, std::uint32_t b) const { return pairs_.contains(key(a, b)); }
  void add(std::uint32_t a, std::uint32_t b) { pairs_.insert(key(a, b)); }
  void remove(std::uint32_t a, std::uint32_t b) { pairs_.erase(key(a, b)); }

 private:
  static std::uint64_t key(std::uint32_t a, std::uint32_t b) {
    return std::uint64_t{std::min(a, b)} << 32 | std::max(a, b);
  }
  std::unordered_set<std::uint64_t> pairs_;
};

// Draws distances 2, 3, ... on a grid, with probability proportional to (number of nodes at that distance) *
// distance^-exponent. Each term is one division of exact numbers, so that all compilers round it alike.
class DistanceDraw {
 public:
  DistanceDraw(std::uint32_t largest, std::uint32_t exponent) {
    double sum = 0;
    for (std::uint32_t distance = 2; distance <= largest; ++distance) {
      double power = 1;
      for (std::uint32_t i = 0; i < exponent; ++i) power *= distance;
      sum += 4.0 * distance / power;
      sums_.push_back(sum);
    }
  }
  [[nodiscard]] std::uint32_t operator()(SeededRandom& random) const {
    const auto found = std::upper_bound(sums_.begin(), sums_.end() - 1, random.unit() * sums_.back());
    return 2 + static_cast<std::uint32_t>(found - sums_.begin());
  }

 private:
  std::vector<double> sums_;
};

// A uniformly random position at this distance from (row, column), which may be outside the grid.
std::pair<std::int64_t, std::int64_t> draw_at_distance(std::int64_t row, std::int64_t column, std::uint32_t distance,
                                                       SeededRandom& random) {
  const std::uint32_t place = random.below(4 * distance);
  const std::int64_t along = place % distance;
  const std::int64_t across = distance - along;
  switch (place / distance) {
    case 0:
      return {row + across, column + along};
    case 1:
      return {row - along, column + across};
    case 2:
      return {row - across, column - along};
    default:
      return {row + along, column - across};
  }
}

}  // namespace

Topology watts_strogatz(std::uint32_t nodes, std::uint32_t neighbors, double rewire, std::uint64_t seed) {
  if (neighbors % 2 != 0 || (neighbors > 0 && neighbors >= nodes)) {
    throw UsageError("watts_strogatz: " + std::to_string(neighbors) + " neighbors of " + std::to_string(nodes) +
                     " nodes; give an even number below the number of nodes");
  }
  if (!(rewire >= 0 && rewire <= 1)) {
    throw UsageError("watts_strogatz: probability " + std::to_string(rewire) + "; give one in 0..1");
  }
  const std::uint64_t count = std::uint64_t{nodes} * neighbors;
  if (count > Topology::max_edges) throw UsageError("watts_strogatz: " + std::to_string(count) + " edges are too many");

  Connections connections(count / 2);
  std::vector<Edge> edges;  // one of the two directions
  edges.reserve(count);
  std::vector<std::uint32_t> degree(nodes, neighbors);
  for (std::uint64_t reach = 1; reach <= neighbors / 2; ++reach) {
    for (std::uint64_t node = 0; node < nodes; ++node) {
      edges.push_back({static_cast<std::uint32_t>(node), static_cast<std::uint32_t>((node + reach) % nodes)});
      connections.add(edges.back().source, edges.back().target);
    }
  }
  SeededRandom random(seed);
  for (Edge& edge : edges) {
    if (random.unit() >= rewire || degree[edge.source] == nodes - 1) continue;
    std::uint32_t target = edge.source;
    while (target == edge.source || connections.has(edge.source, target)) target = random.below(nodes);
    connections.remove(edge.source, edge.target);
    connections.add(edge.source, target);
    --degree[edge.target];
    ++degree[target];
    edge.target = target;
  }
  for (std::size_t i = 0, one_way = edges.size(); i < one_way; ++i) edges.push_back({edges[i].target, edges[i].source});
  return Topology::from_edges(nodes, std::move(edges));
}

Topology navigable_small_world(std::uint32_t side, std::uint32_t long_links, std::uint32_t exponent,
                               std::uint64_t seed) {
  const std::uint64_t nodes = std::uint64_t{side} * side;
  if (side == 0 || nodes * (4 + std::uint64_t{long_links}) > Topology::max_edges) {
    throw UsageError("navigable_small_world: side " + std::to_string(side) + " with " + std::to_string(long_links) +
                     " long links; give a side from 1 that makes fewer than 2^32 edges");
  }
  if (side == 1 && long_links > 0) {
    throw UsageError(
        "navigable_small_world: a single node has no other nodes; give a side of at least 2 or no long links");
  }
  std::vector<Edge> edges;
  edges.reserve(nodes * (4 + std::uint64_t{long_links}));
  const Topology lattice = grid({side, side});
  const DistanceDraw draw_distance(2 * (side - 1), exponent);
  SeededRandom random(seed);
  const auto inside = [&](std::int64_t coordinate) { return coordinate >= 0 && coordinate < side; };
  for (std::uint32_t node = 0; node < nodes; ++node) {
    for (const std::uint32_t neighbor : lattice.outputs(node)) edges.push_back({node, neighbor});
    for (std::uint32_t link = 0; link < long_links;) {
      const auto [row, column] = draw_at_distance(node / side, node % side, draw_distance(random), random);
      if (!inside(row) || !inside(column))
        continue;  // rejection sampling keeps the proportions among the nodes of the grid
      edges.push_back({node, static_cast<std::uint32_t>(row * side + column)});
      ++link;
    }
  }
  return Topology::from_edges(static_cast<std::uint32_t>(nodes), std::move(edges));
}

}  // namespace laxity::topologies
