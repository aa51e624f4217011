// Algorithms of MPI_Allreduce.
#include "laxity/schedule/detail/algorithms/halving.hpp"
#include "laxity/schedule/detail/algorithms/own.hpp"
#include "laxity/schedule/detail/algorithms/tree_phases.hpp"

namespace laxity::schedule::detail {
namespace {

template <Tree reduce_tree, Tree bcast_tree>
Frontier reduce_and_bcast(Builder& builder, const Frontier& after) {
  const Frontier reduced = reduce_over(builder, reduce_tree(builder.rank(), builder.ranks(), 0), after);
  return bcast_over(builder, bcast_tree(builder.rank(), builder.ranks(), 0), reduced);
}

Frontier recursive_doubling(Builder& builder, const Frontier& after) {
  const PowerOfTwoGroup group(builder.ranks(), PowerOfTwoGroup::Member::odd);
  const std::uint64_t bytes = builder.call().bytes;
  Frontier frontier = fold(builder, group, 1, after);
  if (const auto self = group.number_of(builder.rank())) {
    for (std::uint32_t distance = 1; distance < group.size(); distance *= 2) {
      const std::uint32_t partner = group.rank_of(*self ^ distance);
      frontier = builder.exchange(partner, bytes, {Slots{0}}, partner, bytes, {Slots{0}}, frontier, true);
    }
  }
  return unfold(builder, group, 1, frontier);
}

// Blocks travel around the ring twice: combined on the first round, distributed on the second.
Frontier ring(Builder& builder, const Frontier& after) {
  const std::uint32_t self = builder.rank(), ranks = builder.ranks();
  const std::uint32_t next = (self + 1) % ranks, previous = (self + ranks - 1) % ranks;
  Frontier frontier = after;
  for (std::uint32_t step = 0; step < 2 * (ranks - 1); ++step) {
    const Slots out{(self + 2 * ranks - step) % ranks}, in{(self + 2 * ranks - step - 1) % ranks};
    frontier = builder.exchange(next, builder.bytes_of(out, ranks), {out}, previous, builder.bytes_of(in, ranks), {in},
                                frontier, step + 1 < ranks);
  }
  return frontier;
}

Frontier rabenseifner(Builder& builder, const Frontier& after) {
  const PowerOfTwoGroup group(builder.ranks(), PowerOfTwoGroup::Member::even);
  Frontier frontier = fold_halves(builder, group, after);
  if (group.number_of(builder.rank())) {
    std::vector<Slots> windows;
    frontier = reduce_scatter_by_halving(builder, group, windows, frontier);
    frontier = allgather_by_doubling(builder, group, windows, frontier);
  }
  return unfold(builder, group, group.size(), frontier);
}

}  // namespace

std::vector<NamedAlgorithm> allreduce_algorithms() {
  return {{1, "basic_linear", reduce_and_bcast<star, star>},
          {2, "nonoverlapping", reduce_and_bcast<binomial, binomial_by_high_bit>},
          {3, "recursive_doubling", recursive_doubling},
          {4, "ring", ring},
          {6, "rabenseifner", rabenseifner},
          {101, "laxity_arrival_order", allreduce_in_arrival_order},
          {102, "laxity_rank_order", allreduce_in_rank_order},
          {103, "laxity_reduce_scatter", allreduce_by_parts},
          {104, "laxity_pre_reduced_ring", pre_reduced_ring}};
}

}  // namespace laxity::schedule::detail
