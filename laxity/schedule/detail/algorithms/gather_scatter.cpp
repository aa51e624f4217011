// Algorithms of MPI_Gather and MPI_Scatter. The slot of a block is the virtual rank that it belongs to.
#include <algorithm>

#include "laxity/schedule/detail/algorithms/builder.hpp"
#include "laxity/schedule/detail/algorithms/trees.hpp"

namespace laxity::schedule::detail {
namespace {

// Ranks of the subtree of a virtual rank in the binomial tree: those that share the bits above its lowest one.
Slots subtree(std::uint32_t self, std::uint32_t ranks) {
  if (self == 0) return {0, ranks};
  return {self, std::min(self & (~self + 1), ranks - self)};
}

// What a message from or to a rank carries: over a star its own block, over a binomial tree those of its subtree.
template <Tree tree>
Slots blocks_of(const Builder& builder, std::uint32_t rank) {
  const std::uint32_t self = (rank + builder.ranks() - builder.root()) % builder.ranks();
  return tree == static_cast<Tree>(star) ? Slots{self} : subtree(self, builder.ranks());
}

template <Tree tree>
Frontier gather_over(Builder& builder, const Frontier& after) {
  const TreeNode node = tree(builder.rank(), builder.ranks(), builder.root());
  Frontier frontier = after;
  for (const std::uint32_t child : node.children) {
    const Slots blocks = blocks_of<tree>(builder, child);
    frontier = {builder.receive(child, blocks.count * builder.call().bytes, blocks, frontier)};
  }
  if (!node.parent) return frontier;
  const Slots blocks = blocks_of<tree>(builder, builder.rank());
  return {builder.send(*node.parent, blocks.count * builder.call().bytes, blocks, frontier)};
}

template <Tree tree>
Frontier scatter_over(Builder& builder, const Frontier& after) {
  const TreeNode node = tree(builder.rank(), builder.ranks(), builder.root());
  Frontier frontier = after;
  if (node.parent) {
    const Slots blocks = blocks_of<tree>(builder, builder.rank());
    frontier = {builder.receive(*node.parent, blocks.count * builder.call().bytes, blocks, frontier)};
  }
  for (const std::uint32_t child : node.children) {
    const Slots blocks = blocks_of<tree>(builder, child);
    frontier = {builder.send(child, blocks.count * builder.call().bytes, blocks, frontier)};
  }
  return frontier;
}

}  // namespace

std::vector<NamedAlgorithm> gather_algorithms() {
  return {{"basic_linear", gather_over<star>}, {"binomial", gather_over<binomial>}};
}

std::vector<NamedAlgorithm> scatter_algorithms() {
  return {{"basic_linear", scatter_over<star>}, {"binomial", scatter_over<binomial_far_first>}};
}

}  // namespace laxity::schedule::detail
