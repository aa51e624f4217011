// Finds the nodes that have the color of a neighbor, for whole vectors of nodes, and counts conflicting edges.
//
// Threads: pure functions.
// Elsewhere: how a node reacts to a conflict (color_learner.hpp).
#pragma once

#include <cstdint>
#include <span>

#include "laxity/mesh/topology.hpp"
#include "workloads/coloring/color_learner.hpp"

namespace laxity {

/// Sets bit i % 64 of conflicts[i / 64] if own[i] equals heard[k][i] for some k, and clears it otherwise. heard[k]
/// points to own.size() colors; conflicts has one bit for each, rounded up to whole words. Uses the widest vector
/// instructions of this processor.
void find_conflicts(std::span<const NodeColor> own, std::span<const NodeColor* const> heard,
                    std::span<std::uint64_t> conflicts) noexcept;

/// The number of conflicting edges of a colored graph: each undirected edge counts once, self-loops do not count. `colors` has
/// one color per node.
[[nodiscard]] std::uint64_t conflicting_edges(const Topology& topology, std::span<const NodeColor> colors);

}  // namespace laxity
