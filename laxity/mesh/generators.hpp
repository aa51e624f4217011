// Graphs made by rule. Every random one is a function of its seed alone: the same graph on every machine and compiler.
//
// Errors: UsageError names the argument that makes no sense, or the limit (Topology::max_nodes, max_edges) that is
// passed. Threads: pure functions. Elsewhere: graphs from files (graph_file.hpp).
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
/// dimension. Along a dimension of extent 2 these are one and the same neighbour, counted once; of extent 1, there is
/// none. So the degree is the sum over dimensions of min(extent - 1, 2), the same at every node. No extents: a single
/// node.
[[nodiscard]] Topology torus(const std::vector<std::uint32_t>& extents);

/// Box of `extents` with free faces: like the torus, without the edges that wrap.
[[nodiscard]] Topology grid(const std::vector<std::uint32_t>& extents);

/// The extents of a box of `nodes` nodes in `dimensions` (1 to 4) dimensions that is as close to a cube as the factors
/// of `nodes` allow (the fewest nodes on its surface), largest extent first: 2048 in 2 dimensions is 64 x 32.
[[nodiscard]] std::vector<std::uint32_t> near_cube(std::uint32_t nodes, std::uint32_t dimensions);

}  // namespace laxity::topologies
