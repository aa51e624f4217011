// Algorithms of MPI_Reduce_scatter with blocks of equal size. The slot of a block is the rank that keeps it.
#include <algorithm>

#include "laxity/schedule/detail/algorithms/halving.hpp"
#include "laxity/schedule/detail/algorithms/trees.hpp"

namespace laxity::schedule::detail {
namespace {

// A binomial reduction of the whole vector to rank 0, which scatters it.
Frontier non_overlapping(Builder& builder, const Frontier& after) {
  const std::uint32_t ranks = builder.ranks();
  const Slots all{0, ranks};
  const TreeNode reduction = binomial(builder.rank(), ranks, 0);
  Frontier frontier = after;
  for (const std::uint32_t child : reduction.children)
    frontier = {builder.receive(child, builder.call().bytes, all, frontier, true)};
  if (reduction.parent) frontier = {builder.send(*reduction.parent, builder.call().bytes, all, frontier)};
  if (builder.rank() != 0) return {builder.receive(0, builder.bytes_of({0}, ranks), {builder.rank()}, frontier)};
  for (std::uint32_t to = 1; to < ranks; ++to)
    frontier = {builder.send(to, builder.bytes_of({to}, ranks), {to}, frontier)};
  return frontier;
}

// The blocks of the members of the group are those of the ranks that they represent, and their own.
Frontier recursive_halving(Builder& builder, const Frontier& after) {
  const PowerOfTwoGroup group(builder.ranks(), PowerOfTwoGroup::Member::odd);
  const std::uint32_t ranks = builder.ranks();
  const auto begin_of = [&](std::uint32_t number) {
    if (number == group.size()) return ranks;
    const std::uint32_t rank = group.rank_of(number);
    return std::min(rank, group.partner_of(rank).value_or(rank));
  };
  const auto window = [&](std::uint32_t first, std::uint32_t count) {
    return Slots{begin_of(first), begin_of(first + count) - begin_of(first)};
  };
  const auto self = group.number_of(builder.rank());
  const auto partner_of_pair = group.partner_of(builder.rank());
  const std::uint64_t block = builder.bytes_of({0}, ranks);
  Frontier frontier = fold(builder, group, ranks, after);
  if (!self) return {builder.receive(*partner_of_pair, block, {builder.rank()}, frontier)};
  std::uint32_t first = 0;
  for (std::uint32_t half = group.size() / 2; half > 0; half /= 2) {
    const bool keeps_lower = (*self & half) == 0;
    const Slots given = window(keeps_lower ? first + half : first, half);
    if (!keeps_lower) first += half;
    const Slots kept = window(first, half);
    const std::uint32_t partner = group.rank_of(*self ^ half);
    frontier = builder.exchange(partner, builder.bytes_of(given, ranks), {given}, partner,
                                builder.bytes_of(kept, ranks), {kept}, frontier, true);
  }
  if (!partner_of_pair) return frontier;
  return {builder.send(*partner_of_pair, block, {*partner_of_pair}, frontier)};
}

Frontier ring(Builder& builder, const Frontier& after) {
  const std::uint32_t self = builder.rank(), ranks = builder.ranks();
  Frontier frontier = after;
  for (std::uint32_t step = 1; step < ranks; ++step) {
    const Slots out{(self + ranks - step) % ranks}, in{(self + 2 * ranks - step - 1) % ranks};
    frontier = builder.exchange((self + 1) % ranks, builder.bytes_of(out, ranks), {out}, (self + ranks - 1) % ranks,
                                builder.bytes_of(in, ranks), {in}, frontier, true);
  }
  return frontier;
}

}  // namespace

std::vector<NamedAlgorithm> reduce_scatter_algorithms() {
  return {{1, "non-overlapping", non_overlapping}, {2, "recursive_halving", recursive_halving}, {3, "ring", ring}};
}

}  // namespace laxity::schedule::detail
