// The trees of rooted collectives: for a rank its parent and its children.
//
// Threads: pure functions of rank, number of ranks and root.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace laxity::schedule::detail {

struct TreeNode {
  std::optional<std::uint32_t> parent;  ///< the root has none
  std::vector<std::uint32_t> children;  ///< in the order in which they are served
};

using Tree = TreeNode (*)(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root);

/// Every rank is a child of the root, in descending order as Open MPI receives them.
[[nodiscard]] TreeNode star(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root);
/// `fanout` chains of nearly equal length behind the root.
[[nodiscard]] TreeNode chains(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root, std::uint32_t fanout);
/// One chain behind the root.
[[nodiscard]] TreeNode pipeline(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root);
/// Four chains, Open MPI's default.
[[nodiscard]] TreeNode four_chains(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root);
/// Filled level by level: children of level l are 2^l and 2^(l + 1) ranks further.
[[nodiscard]] TreeNode binary(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root);
/// Parent without its lowest bit that is set; children in ascending distance.
[[nodiscard]] TreeNode binomial(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root);
/// The same tree with children in descending distance, so that the largest subtree is served first.
[[nodiscard]] TreeNode binomial_far_first(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root);
/// Parent without its highest bit that is set: Open MPI's binomial tree of broadcasts; children in ascending distance.
[[nodiscard]] TreeNode binomial_by_high_bit(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root);
/// Radix 4: parent without its lowest digit that is not zero.
[[nodiscard]] TreeNode knomial(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root);
/// A reduction over it combines contributions in the order of ranks; its root is the last rank, whatever `root` is.
[[nodiscard]] TreeNode in_order_binary(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root);

}  // namespace laxity::schedule::detail
