// Generated graphs. A random graph is a function of its seed alone: the same on every machine and with every compiler.
//
// Errors: UsageError names the invalid argument, or the limit (Topology::max_nodes, max_edges) that is exceeded.
// Threads: pure functions.
// Elsewhere: graphs from files (graph_formats/graph_file.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "laxity/mesh/topology.hpp"

namespace laxity::topologies {

/// `nodes` nodes without edges.
[[nodiscard]] Topology empty(std::uint32_t nodes);

/// Directed cycle: node i sends to i + 1, the last to 0. A single node has no edge.
[[nodiscard]] Topology ring(std::uint32_t nodes);

/// Every node sends to itself.
[[nodiscard]] Topology loop(std::uint32_t nodes);

/// Pairs that exchange: 0 with 1, 2 with 3, ... `nodes` must be even.
[[nodiscard]] Topology dyad(std::uint32_t nodes);

/// Pairs in one direction: 0 sends to 1, 2 to 3, ... `nodes` must be even.
[[nodiscard]] Topology producer_consumer(std::uint32_t nodes);

/// Every node exchanges with every other: nodes * (nodes - 1) edges.
[[nodiscard]] Topology complete(std::uint32_t nodes);

/// Torus: every node exchanges with its predecessor and successor along each dimension, with wraparound. Along a
/// dimension of extent 2 these are one neighbor, counted once; along one of extent 1 there is none. So the degree is
/// the sum over dimensions of min(extent - 1, 2), the same at every node. No extents: a single node.
[[nodiscard]] Topology torus(const std::vector<std::uint32_t>& extents);

/// `count` tori with the same extents (one at least), and no edge between them. Nodes of one torus are consecutive.
[[nodiscard]] Topology tori(std::uint32_t count, const std::vector<std::uint32_t>& extents);

/// Grid: the torus without wraparound.
[[nodiscard]] Topology grid(const std::vector<std::uint32_t>& extents);

/// The extents of a box of `nodes` nodes in `dimensions` (1 to 4) dimensions with the smallest surface, largest extent
/// first: 2048 nodes in 2 dimensions are 64 x 32.
[[nodiscard]] std::vector<std::uint32_t> near_cube(std::uint32_t nodes, std::uint32_t dimensions);

/// Small world of Watts and Strogatz: a cycle in which every node exchanges with its `neighbors` nearest nodes (even,
/// below `nodes`), whose connections are rewired with probability `rewire` to a random node, never to the node itself
/// or to a neighbor. Source: Watts and Strogatz, Collective dynamics of 'small-world' networks, Nature 393 (1998).
[[nodiscard]] Topology watts_strogatz(std::uint32_t nodes, std::uint32_t neighbors, double rewire, std::uint64_t seed);

/// Navigable small world: a side x side grid in which every node also sends, one way, to `long_links` random nodes,
/// drawn with probability proportional to distance^-exponent (steps along the grid). Links drawn twice count once.
/// Source: Kleinberg, Navigation in a small world, Nature 406 (2000): greedy routing finds short paths for exponent 2.
[[nodiscard]] Topology navigable_small_world(std::uint32_t side, std::uint32_t long_links, std::uint32_t exponent,
                                             std::uint64_t seed);

/// Random geometric graph: uniform points in the unit square that exchange if at most `radius` (above 0, at most 1)
/// apart. Ids follow rows of cells of side >= radius, so contiguous partitions cut few edges. Source: Gilbert, Random
/// plane networks, J. SIAM 9 (1961).
[[nodiscard]] Topology random_geometric(std::uint32_t nodes, double radius, std::uint64_t seed);

}  // namespace laxity::topologies
