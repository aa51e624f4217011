// Algorithms of MPI_Barrier. Messages carry no data; their one slot stands for the knowledge of who has arrived.
#include <bit>

#include "laxity/schedule/detail/algorithms/tree_phases.hpp"

namespace laxity::schedule::detail {
namespace {

constexpr Slots knowledge{0};

Frontier exchange(Builder& builder, std::uint32_t to, std::uint32_t from, const Frontier& after) {
  return builder.exchange(to, 0, {knowledge}, from, 0, {knowledge}, after, true);
}

template <Tree up, Tree down>
Frontier collect_and_release(Builder& builder, const Frontier& after) {
  const Frontier collected = reduce_over(builder, up(builder.rank(), builder.ranks(), 0), after);
  return bcast_over(builder, down(builder.rank(), builder.ranks(), 0), collected);
}

// A token travels around the ring twice.
Frontier double_ring(Builder& builder, const Frontier& after) {
  const std::uint32_t next = (builder.rank() + 1) % builder.ranks();
  const std::uint32_t previous = (builder.rank() + builder.ranks() - 1) % builder.ranks();
  Frontier frontier = after;
  if (builder.ranks() == 1) return frontier;
  for (int round = 0; round < 2; ++round) {
    if (builder.rank() != 0) frontier = {builder.receive(previous, 0, knowledge, frontier, true)};
    frontier = {builder.send(next, 0, knowledge, frontier)};
    if (builder.rank() == 0) frontier = {builder.receive(previous, 0, knowledge, frontier, true)};
  }
  return frontier;
}

// Ranks beyond the largest power of two report to the rank that is so much lower, and hear from it in the end.
Frontier recursive_doubling(Builder& builder, const Frontier& after) {
  const std::uint32_t self = builder.rank(), group = std::bit_floor(builder.ranks());
  if (self >= group) {
    const OpId report = builder.send(self - group, 0, knowledge, after);
    return {builder.receive(self - group, 0, knowledge, {report}, true)};
  }
  const bool represents = self + group < builder.ranks();
  Frontier frontier = after;
  if (represents) frontier = {builder.receive(self + group, 0, knowledge, frontier, true)};
  for (std::uint32_t distance = 1; distance < group; distance *= 2)
    frontier = exchange(builder, self ^ distance, self ^ distance, frontier);
  return represents ? Frontier{builder.send(self + group, 0, knowledge, frontier)} : frontier;
}

// Dissemination: in step k every rank tells the one 2^k further.
// Source: Hensgen, Finkel, Manber: Two algorithms for barrier synchronization, Int. J. Parallel Program. 17 (1988).
Frontier bruck(Builder& builder, const Frontier& after) {
  const std::uint32_t self = builder.rank(), ranks = builder.ranks();
  Frontier frontier = after;
  for (std::uint32_t distance = 1; distance < ranks; distance *= 2)
    frontier = exchange(builder, (self + distance) % ranks, (self + ranks - distance) % ranks, frontier);
  return frontier;
}

}  // namespace

std::vector<NamedAlgorithm> barrier_algorithms() {
  return {{1, "linear", collect_and_release<star, star>},
          {2, "double_ring", double_ring},
          {3, "recursive_doubling", recursive_doubling},
          {4, "bruck", bruck},
          {6, "tree", collect_and_release<binomial, binomial_far_first>}};
}

}  // namespace laxity::schedule::detail
