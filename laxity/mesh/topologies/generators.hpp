// Graphs made by rule. Every random one is a function of its seed alone: the same graph on every machine and compiler.
//
// Errors: UsageError names the argument that makes no sense, or the limit (Topology::max_nodes, max_edges) passed.
// Threads: pure functions.
// Elsewhere: graphs from files (graph_file.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "laxity/mesh/topology.hpp"

namespace laxity::topologies {

/// `nodes` nodes that never speak.
[[nodiscard]] Topology empty(std::uint32_t nodes);

/// Directed cycle: node i sends to i + 1, the last to 0. One node alone has no edge.
[[nodiscard]] Topology ring(std::uint32_t nodes);

/// Every node sends to itself.
[[nodiscard]] Topology loop(std::uint32_t nodes);

/// Pairs that exchange: 0 with 1, 2 with 3, ... `nodes` must be even.
[[nodiscard]] Topology dyad(std::uint32_t nodes);

/// Pairs in one direction: 0 sends to 1, 2 to 3, ... `nodes` must be even.
[[nodiscard]] Topology producer_consumer(std::uint32_t nodes);

/// Every node exchanges with every other: nodes * (nodes - 1) edges.
[[nodiscard]] Topology complete(std::uint32_t nodes);

/// Box of `extents` whose opposite faces touch; every node exchanges with the one before and after it along each
/// dimension. Along a dimension of extent 2 these are one and the same neighbor, counted once; of extent 1, there is
/// none. So the degree is the sum over dimensions of min(extent - 1, 2), the same at every node. No extents: a single
/// node.
[[nodiscard]] Topology torus(const std::vector<std::uint32_t>& extents);

/// Box of `extents` with free faces: like the torus, without the edges that wrap.
[[nodiscard]] Topology grid(const std::vector<std::uint32_t>& extents);

/// The extents of a box of `nodes` nodes in `dimensions` (1 to 4) dimensions that is as close to a cube as the factors
/// of `nodes` allow (the fewest nodes on its surface), largest extent first: 2048 in 2 dimensions is 64 x 32.
[[nodiscard]] std::vector<std::uint32_t> near_cube(std::uint32_t nodes, std::uint32_t dimensions);

/// Small world of Watts and Strogatz. A cycle in which every node exchanges with the `neighbors` nearest (even, <
/// nodes); then each connection, with probability `rewire`, moves its far end to a random node, never to itself or to a
/// neighbor. Source: Watts and Strogatz, Collective dynamics of 'small-world' networks, Nature 393 (1998).
[[nodiscard]] Topology watts_strogatz(std::uint32_t nodes, std::uint32_t neighbors, double rewire, std::uint64_t seed);

/// Navigable small world: a side x side grid in which every node also sends to `long_links` far nodes, one way, drawn
/// with probability proportional to distance^-exponent (steps along the grid). Links drawn twice count once. Source:
/// Kleinberg, Navigation in a small world, Nature 406 (2000): greedy routing is short for exponent 2.
[[nodiscard]] Topology navigable_small_world(std::uint32_t side, std::uint32_t long_links, std::uint32_t exponent,
                                             std::uint64_t seed);

/// Points drawn uniformly in the unit square; those at most `radius` apart (above 0, at most 1) exchange. Ids run along
/// rows of cells of side >= radius, so that close ids are close points and contiguous partitions cut little. Source:
/// Gilbert, Random plane networks, J. SIAM 9 (1961).
[[nodiscard]] Topology random_geometric(std::uint32_t nodes, double radius, std::uint64_t seed);

}  // namespace laxity::topologies
