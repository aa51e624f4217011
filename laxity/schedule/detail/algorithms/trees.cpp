#include "laxity/schedule/detail/algorithms/trees.hpp"

#include <algorithm>
#include <bit>

namespace laxity::schedule::detail {
namespace {

/// Applies a tree with root 0 to ranks relative to the root.
template <class TreeOfZero>
TreeNode shifted(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root, TreeOfZero&& tree_of_zero) {
  TreeNode node = tree_of_zero((rank + ranks - root) % ranks);
  if (node.parent) node.parent = (*node.parent + root) % ranks;
  for (std::uint32_t& child : node.children) child = (child + root) % ranks;
  return node;
}

TreeNode knomial_tree(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root, std::uint32_t radix) {
  return shifted(rank, ranks, root, [&](std::uint32_t self) {
    TreeNode node;
    std::uint64_t step = 1;
    for (; step < ranks && self % (step * radix) == 0; step *= radix)
      for (std::uint64_t digit = 1; digit < radix && self + digit * step < ranks; ++digit)
        node.children.push_back(static_cast<std::uint32_t>(self + digit * step));
    if (self != 0) node.parent = static_cast<std::uint32_t>(self - self % (step * radix));
    return node;
  });
}

}  // namespace

TreeNode star(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root) {
  TreeNode node;
  if (rank != root) {
    node.parent = root;
    return node;
  }
  for (std::uint32_t other = ranks; other-- > 0;)
    if (other != root) node.children.push_back(other);
  return node;
}

TreeNode chains(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root, std::uint32_t fanout) {
  return shifted(rank, ranks, root, [&](std::uint32_t self) {
    TreeNode node;
    const std::uint32_t count = std::min(fanout, ranks - 1);
    if (count == 0) return node;
    const std::uint32_t length = (ranks - 1) / count, longer = (ranks - 1) % count;  // the first ones are longer by one
    std::uint32_t head = 1;
    for (std::uint32_t chain = 0; chain < count; ++chain) {
      const std::uint32_t end = head + length + (chain < longer ? 1 : 0);
      if (self == 0) node.children.push_back(head);
      if (self >= head && self < end) {
        node.parent = self == head ? 0 : self - 1;
        if (self + 1 < end) node.children.push_back(self + 1);
      }
      head = end;
    }
    return node;
  });
}

TreeNode pipeline(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root) { return chains(rank, ranks, root, 1); }
TreeNode four_chains(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root) {
  return chains(rank, ranks, root, 4);
}

TreeNode binary(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root) {
  return shifted(rank, ranks, root, [&](std::uint32_t self) {
    TreeNode node;
    std::uint64_t width = 1;  // of the level of `self`, whose first rank is width - 1
    while (self >= 2 * width - 1) width *= 2;
    for (const std::uint64_t child : {self + width, self + 2 * width})
      if (child < ranks) node.children.push_back(static_cast<std::uint32_t>(child));
    if (self != 0) {
      const std::uint64_t above = width / 2;  // a child lies one or two widths of its parent's level further
      node.parent = static_cast<std::uint32_t>(self - above < 2 * above - 1 ? self - above : self - 2 * above);
    }
    return node;
  });
}

TreeNode binomial(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root) {
  return knomial_tree(rank, ranks, root, 2);
}

TreeNode binomial_far_first(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root) {
  TreeNode node = binomial(rank, ranks, root);
  std::ranges::reverse(node.children);
  return node;
}

TreeNode binomial_by_high_bit(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root) {
  return shifted(rank, ranks, root, [&](std::uint32_t self) {
    TreeNode node;
    for (std::uint64_t step = self == 0 ? 1 : 2 * std::uint64_t{std::bit_floor(self)}; self + step < ranks; step *= 2)
      node.children.push_back(static_cast<std::uint32_t>(self + step));
    if (self != 0) node.parent = self - std::bit_floor(self);
    return node;
  });
}

TreeNode knomial(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root) {
  TreeNode node = knomial_tree(rank, ranks, root, 4);
  std::ranges::reverse(node.children);
  return node;
}

TreeNode in_order_binary(std::uint32_t rank, std::uint32_t ranks, std::uint32_t) {
  // A subtree of the ranks [first, last] has its root at `last`; the first half of the others is one child's, the rest
  // the other's.
  TreeNode node;
  std::uint32_t first = 0, last = ranks - 1;
  for (;;) {
    const std::uint32_t half = (last - first + 1) / 2;  // ranks of the lower subtree
    const std::uint32_t lower = first + half - 1, upper = last - 1;
    if (rank == last) {
      if (last > first) node.children.push_back(upper);
      if (last - first > 1) node.children.push_back(lower);
      return node;
    }
    const bool in_upper = last - first == 1 || rank > lower;
    node.parent = last;
    if (in_upper) {
      first = last - first == 1 ? first : lower + 1;
      last = upper;
    } else {
      last = lower;
    }
    if (rank != last) node.parent.reset();
  }
}

}  // namespace laxity::schedule::detail
