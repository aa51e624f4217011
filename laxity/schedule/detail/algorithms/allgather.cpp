// Algorithms of MPI_Allgather. The slot of a block is the rank that it comes from.
#include <algorithm>
#include <bit>

#include "laxity/schedule/detail/algorithms/builder.hpp"

namespace laxity::schedule::detail {
namespace {

// Rank 0 collects all blocks and sends all of them to everybody.
Frontier linear(Builder& builder, const Frontier& after) {
  const std::uint32_t ranks = builder.ranks();
  const std::uint64_t bytes = builder.call().bytes;
  const Slots all{0, ranks};
  if (builder.rank() != 0) {
    const OpId sent = builder.send(0, bytes, {builder.rank()}, after);
    return {builder.receive(0, ranks * bytes, all, {sent})};
  }
  Frontier received, sent;
  for (std::uint32_t from = 1; from < ranks; ++from) received.push_back(builder.receive(from, bytes, {from}, after));
  for (std::uint32_t to = 1; to < ranks; ++to) sent.push_back(builder.send(to, ranks * bytes, all, received));
  return sent.empty() ? after : sent;
}

std::vector<Slots> around(std::uint32_t first, std::uint32_t count, std::uint32_t ranks) {
  const std::uint32_t straight = std::min(count, ranks - first);
  std::vector<Slots> slots{{first, straight}};
  if (straight < count) slots.push_back({0, count - straight});
  return slots;
}

Frontier bruck(Builder& builder, const Frontier& after) {
  const std::uint32_t self = builder.rank(), ranks = builder.ranks();
  Frontier frontier = after;
  for (std::uint32_t distance = 1; distance < ranks; distance *= 2) {
    const std::uint32_t count = std::min(distance, ranks - distance);
    const std::uint32_t to = (self + ranks - distance) % ranks, from = (self + distance) % ranks;
    const std::uint64_t bytes = count * builder.call().bytes;
    frontier =
        builder.exchange(to, bytes, around(self, count, ranks), from, bytes, around(from, count, ranks), frontier);
  }
  return frontier;
}

Frontier recursive_doubling(Builder& builder, const Frontier& after) {
  if (!std::has_single_bit(builder.ranks())) return bruck(builder, after);
  const std::uint32_t self = builder.rank();
  Frontier frontier = after;
  for (std::uint32_t width = 1; width < builder.ranks(); width *= 2) {
    const std::uint32_t partner = self ^ width;
    const std::uint64_t bytes = width * builder.call().bytes;
    frontier = builder.exchange(partner, bytes, {Slots{self & ~(width - 1), width}}, partner, bytes,
                                {Slots{partner & ~(width - 1), width}}, frontier);
  }
  return frontier;
}

Frontier ring(Builder& builder, const Frontier& after) {
  const std::uint32_t self = builder.rank(), ranks = builder.ranks();
  const std::uint64_t bytes = builder.call().bytes;
  Frontier frontier = after;
  for (std::uint32_t step = 0; step + 1 < ranks; ++step) {
    const Slots out{(self + ranks - step) % ranks}, in{(self + 2 * ranks - step - 1) % ranks};
    frontier = builder.exchange((self + 1) % ranks, bytes, {out}, (self + ranks - 1) % ranks, bytes, {in}, frontier);
  }
  return frontier;
}

// Pairs exchange blocks, then pairs of blocks travel alternately in both directions.
// Source: Chen, Zhang, Zhang, Yuan: Performance evaluation of allgather algorithms on terascale Linux cluster with fast
//   Ethernet, HPC Asia 2005.
Frontier neighbor(Builder& builder, const Frontier& after) {
  const std::uint32_t self = builder.rank(), ranks = builder.ranks();
  if (ranks % 2 != 0) return ring(builder, after);
  const std::uint64_t bytes = builder.call().bytes;
  const bool even = self % 2 == 0;
  const std::uint32_t above = (self + 1) % ranks, below = (self + ranks - 1) % ranks;
  const std::uint32_t first_partner = even ? above : below;
  Frontier frontier =
      builder.exchange(first_partner, bytes, {Slots{self}}, first_partner, bytes, {Slots{first_partner}}, after);
  // The pair that a rank has received last, named by its even rank, is the one that it sends next.
  std::uint32_t newest = even ? self : below;
  for (std::uint32_t step = 1; step < ranks / 2; ++step) {
    const bool upward = even == (step % 2 == 0);
    const std::uint32_t partner = upward ? above : below;
    // What the partner has received last lies `step` pairs away, on the partner's side.
    const std::uint32_t pair = even ? self : below;
    const std::uint32_t away = 2 * ((step + 1) / 2);
    const std::uint32_t coming = step % 2 == 1 ? (even ? pair + ranks - away : pair + away) % ranks
                                               : (even ? pair + away : pair + ranks - away) % ranks;
    frontier =
        builder.exchange(partner, 2 * bytes, {Slots{newest, 2}}, partner, 2 * bytes, {Slots{coming, 2}}, frontier);
    newest = coming;
  }
  return frontier;
}

}  // namespace

std::vector<NamedAlgorithm> allgather_algorithms() {
  return {{1, "linear", linear},
          {2, "bruck", bruck},
          {3, "recursive_doubling", recursive_doubling},
          {4, "ring", ring},
          {5, "neighbor", neighbor}};
}

}  // namespace laxity::schedule::detail
