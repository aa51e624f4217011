// Reduction and broadcast of a vector over a tree, pipelined in segments.
//
// Threads: pure functions.
#pragma once

#include "laxity/schedule/detail/algorithms/builder.hpp"
#include "laxity/schedule/detail/algorithms/trees.hpp"

namespace laxity::schedule::detail {

/// Number of segments of the vector.
[[nodiscard]] std::uint32_t segments_of(const CollectiveCall& call) noexcept;

/// Receives each segment from every child in turn, combines, and sends it to the parent.
[[nodiscard]] Frontier reduce_over(Builder& builder, const TreeNode& node, const Frontier& after);
/// Receives each segment from the parent and sends it to every child.
[[nodiscard]] Frontier bcast_over(Builder& builder, const TreeNode& node, const Frontier& after);

}  // namespace laxity::schedule::detail
