// Which nodes share their color with a neighbor, for whole vectors of nodes at once.
//
// Threads: pure functions. Elsewhere: what a node does about it (color_learner.hpp).
#pragma once

#include <cstdint>
#include <span>

#include "laxity/mesh/topology.hpp"
#include "workloads/coloring/color_learner.hpp"

namespace laxity {

/// Sets bit i % 64 of conflicts[i / 64] if own[i] equals heard[k][i] for some k, and clears it otherwise. heard[k]
/// points to own.size() colors; conflicts has room for them, rounded up to whole words. Uses the widest vectors this
/// processor has.
void find_conflicts(std::span<const Color> own, std::span<const Color* const> heard,
                    std::span<std::uint64_t> conflicts) noexcept;

/// Conflicting edges of a colored graph, each undirected edge counted once, self-loops not at all. `colors` has one
/// per node.
[[nodiscard]] std::uint64_t conflicting_edges(const Topology& topology, std::span<const Color> colors);

}  // namespace laxity
