#include "laxity/schedule/detail/algorithms/own.hpp"

#include <optional>
#include <utility>

#include "laxity/collective/algorithms/arrival_tree.hpp"
#include "laxity/collective/own_algorithms.hpp"
#include "laxity/schedule/detail/algorithms/tree_phases.hpp"

namespace laxity::schedule::detail {
namespace {

TreeNode arrival_tree(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root) {
  collective::ArrivalTreeNode node = collective::arrival_tree_node(rank, ranks, root);
  return {node.parent, std::move(node.children)};
}

// The own part is combined from messages of all others, then sent to the root or, without one, to all.
Frontier by_parts(Builder& builder, std::optional<std::uint32_t> root, const Frontier& after) {
  const std::uint32_t self = builder.rank(), ranks = builder.ranks();
  const auto bytes_of = [&](std::uint32_t part) { return builder.bytes_of(Slots{part}, ranks); };
  constexpr std::uint32_t result = 1;  // the tag of combined parts
  Frontier combined, frontier;
  for (std::uint32_t distance = 1; distance < ranks; ++distance) {
    const std::uint32_t to = (self + distance) % ranks;
    if (bytes_of(to) > 0) frontier.push_back(builder.send(to, bytes_of(to), {to}, after));
  }
  for (std::uint32_t distance = 1; distance < ranks && bytes_of(self) > 0; ++distance)
    combined.push_back(builder.receive((self + ranks - distance) % ranks, bytes_of(self), {self}, after, true));
  frontier.insert(frontier.end(), combined.begin(), combined.end());
  if (combined.empty()) combined = after;
  for (std::uint32_t distance = 1; distance < ranks; ++distance) {
    const std::uint32_t to = (self + distance) % ranks, from = (self + ranks - distance) % ranks;
    if ((!root || to == *root) && bytes_of(self) > 0)
      frontier.push_back(builder.send(to, bytes_of(self), {self}, combined, result));
    if ((!root || self == *root) && bytes_of(from) > 0)
      frontier.push_back(builder.receive(from, bytes_of(from), {from}, after, false, result));
  }
  return frontier.empty() ? after : frontier;
}

Frontier reduce_to(Builder& builder, std::uint32_t root, const Frontier& after) {
  const TreeNode node = arrival_tree(builder.rank(), builder.ranks(), root);
  const std::uint64_t bytes = builder.call().bytes;
  const Slots all{0, segments_of(builder.call())};
  Frontier frontier;
  for (const std::uint32_t child : node.children) frontier.push_back(builder.receive(child, bytes, all, after, true));
  if (frontier.empty()) frontier = after;
  if (node.parent) frontier = {builder.send(*node.parent, bytes, all, frontier)};
  return frontier;
}

}  // namespace

Frontier reduce_in_arrival_order(Builder& builder, const Frontier& after) {
  return reduce_to(builder, builder.root(), after);
}

Frontier reduce_by_parts(Builder& builder, const Frontier& after) { return by_parts(builder, builder.root(), after); }

Frontier allreduce_in_arrival_order(Builder& builder, const Frontier& after) {
  const Frontier reduced = reduce_to(builder, 0, after);
  return bcast_over(builder, arrival_tree(builder.rank(), builder.ranks(), 0), reduced);
}

Frontier allreduce_in_rank_order(Builder& builder, const Frontier& after) {
  const Frontier reduced = reduce_over(builder, star(builder.rank(), builder.ranks(), 0), after);
  return bcast_over(builder, arrival_tree(builder.rank(), builder.ranks(), 0), reduced);
}

Frontier allreduce_by_parts(Builder& builder, const Frontier& after) { return by_parts(builder, std::nullopt, after); }

// One chain of operations for each part: it starts at the rank of its number, is combined on its first round and
// distributed on the second.
Frontier pre_reduced_ring(Builder& builder, const Frontier& after) {
  const std::uint32_t self = builder.rank(), ranks = builder.ranks();
  const std::uint32_t next = (self + 1) % ranks, previous = (self + ranks - 1) % ranks;
  Frontier frontier;
  for (std::uint32_t part = 0; part < ranks && ranks > 1; ++part) {
    const Slots slots{part};
    const std::uint64_t bytes = builder.bytes_of(slots, ranks);
    if (bytes == 0) continue;
    Frontier of_part = after;
    if (part != self) of_part = {builder.receive(previous, bytes, slots, after, true, part)};
    of_part = {builder.send(next, bytes, slots, of_part, part)};
    if (part != next) {
      of_part = {builder.receive(previous, bytes, slots, of_part, false, part)};
      if (next != (part + ranks - 1) % ranks) of_part = {builder.send(next, bytes, slots, of_part, part)};
    }
    frontier.insert(frontier.end(), of_part.begin(), of_part.end());
  }
  return frontier.empty() ? after : frontier;
}

Frontier exchange_in_arrival_order(Builder& builder, const Frontier& after) {
  const std::uint32_t self = builder.rank(), ranks = builder.ranks();
  const std::uint64_t bytes = builder.call().bytes;
  const bool waits_for_notice = bytes > collective::max_block_without_notice_bytes;
  constexpr std::uint32_t notice = 1;
  Frontier frontier;
  for (std::uint32_t distance = 1; distance < ranks; ++distance) {
    const std::uint32_t to = (self + distance) % ranks, from = (self + ranks - distance) % ranks;
    Frontier may_send = after;
    if (waits_for_notice) {
      frontier.push_back(builder.send(from, 0, Slots{0, 0}, after, notice));
      may_send = {builder.receive(to, 0, Slots{0, 0}, after, false, notice)};
    }
    frontier.push_back(builder.send(to, bytes, {self * ranks + to}, may_send));
    frontier.push_back(builder.receive(from, bytes, {from * ranks + self}, after));
  }
  return frontier.empty() ? after : frontier;
}

}  // namespace laxity::schedule::detail
