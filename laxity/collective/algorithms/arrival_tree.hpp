// The tree of reductions in the order of arrival: flat, so that few processes lie between a late one and the root.
//
// A rank relative to the root is a number with digits of base `arrival_tree_radix`; its parent lacks the lowest digit
// that is not zero. A process therefore waits for many others at once, which costs little where contributions are
// combined in the order in which they come.
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace laxity::collective {

inline constexpr std::uint32_t arrival_tree_radix = 16;

struct ArrivalTreeNode {
  std::optional<std::uint32_t> parent;  ///< the root has none
  std::vector<std::uint32_t> children;  ///< those with the largest subtrees first
};

[[nodiscard]] inline ArrivalTreeNode arrival_tree_node(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root) {
  const std::uint64_t self = (std::uint64_t{rank} + ranks - root) % ranks;
  const auto real_rank = [&](std::uint64_t relative) { return static_cast<std::uint32_t>((relative + root) % ranks); };
  ArrivalTreeNode node;
  std::uint64_t weight = 1;  // of the lowest digit that is not zero; of the root's, one above its highest
  while (weight < ranks && self / weight % arrival_tree_radix == 0) weight *= arrival_tree_radix;
  if (self != 0) node.parent = real_rank(self - self / weight % arrival_tree_radix * weight);
  while ((weight /= arrival_tree_radix) > 0)
    for (std::uint64_t digit = 1; digit < arrival_tree_radix && self + digit * weight < ranks; ++digit)
      node.children.push_back(real_rank(self + digit * weight));
  return node;
}

}  // namespace laxity::collective
