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

// The root asks each rank for its block with an empty message, and goes on once it is there. Open MPI can send a block in
// two parts; without a segment size the second one is empty.
Frontier gather_linear_sync(Builder& builder, const Frontier& after) {
  constexpr Slots nothing{0, 0};
  const std::uint64_t bytes = builder.call().bytes;
  const Slots own{builder.virtual_rank()};
  if (builder.rank() != builder.root()) {
    const OpId asked = builder.receive(builder.root(), 0, nothing, after);
    const OpId sent = builder.send(builder.root(), bytes, own, {asked});
    return {builder.send(builder.root(), 0, nothing, {sent})};
  }
  Frontier frontier = after, second_parts;
  for (std::uint32_t from = 0; from < builder.ranks(); ++from) {
    if (from == builder.root()) continue;
    const std::uint32_t slot = (from + builder.ranks() - builder.root()) % builder.ranks();
    const OpId asked = builder.send(from, 0, nothing, frontier);
    const OpId first_part = builder.receive(from, bytes, {slot}, frontier);
    second_parts.push_back(builder.receive(from, 0, nothing, {asked}));
    frontier = {first_part, asked};
  }
  return second_parts.empty() ? after : second_parts;
}

// The root starts all sends at once.
Frontier scatter_linear_nonblocking(Builder& builder, const Frontier& after) {
  const std::uint64_t bytes = builder.call().bytes;
  if (builder.rank() != builder.root())
    return {builder.receive(builder.root(), bytes, {builder.virtual_rank()}, after)};
  Frontier sent;
  for (std::uint32_t to = 0; to < builder.ranks(); ++to)
    if (to != builder.root())
      sent.push_back(builder.send(to, bytes, {(to + builder.ranks() - builder.root()) % builder.ranks()}, after));
  return sent.empty() ? after : sent;
}

}  // namespace

std::vector<NamedAlgorithm> gather_algorithms() {
  return {{1, "basic_linear", gather_over<star>},
          {2, "binomial", gather_over<binomial>},
          {3, "linear_sync", gather_linear_sync}};
}

std::vector<NamedAlgorithm> scatter_algorithms() {
  return {{1, "basic_linear", scatter_over<star>},
          {2, "binomial", scatter_over<binomial_far_first>},
          {3, "linear_nb", scatter_linear_nonblocking}};
}

}  // namespace laxity::schedule::detail
