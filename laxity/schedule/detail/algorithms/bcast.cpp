// Algorithms of MPI_Bcast.
#include <algorithm>
#include <bit>

#include "laxity/schedule/detail/algorithms/tree_phases.hpp"

namespace laxity::schedule::detail {
namespace {

template <Tree tree>
Frontier over_tree(Builder& builder, const Frontier& after) {
  return bcast_over(builder, tree(builder.rank(), builder.ranks(), builder.root()), after);
}

// Blocks are numbered by virtual rank. A rank receives those of its subtree of the binomial tree.
Frontier scatter_blocks(Builder& builder, const Frontier& after) {
  const std::uint32_t self = builder.virtual_rank(), ranks = builder.ranks();
  const auto blocks_of = [&](std::uint32_t first, std::uint32_t width) {
    return Slots{first, std::min(width, ranks - first)};
  };
  Frontier frontier = after;
  std::uint32_t width = std::bit_ceil(ranks);
  if (self != 0) {
    width = self & (~self + 1);  // the lowest bit that is set
    const Slots own = blocks_of(self, width);
    frontier = {builder.receive(builder.real_rank(self - width), builder.bytes_of(own, ranks), own, frontier)};
  }
  for (width /= 2; width > 0; width /= 2) {
    if (self + width >= ranks) continue;
    const Slots given = blocks_of(self + width, width);
    frontier = {builder.send(builder.real_rank(self + width), builder.bytes_of(given, ranks), given, frontier)};
  }
  return frontier;
}

Frontier scatter_allgather_ring(Builder& builder, const Frontier& after) {
  const std::uint32_t self = builder.virtual_rank(), ranks = builder.ranks();
  Frontier frontier = scatter_blocks(builder, after);
  for (std::uint32_t step = 0; step + 1 < ranks; ++step) {
    const Slots out{(self + ranks - step) % ranks}, in{(self + 2 * ranks - step - 1) % ranks};
    frontier =
        builder.exchange(builder.real_rank((self + 1) % ranks), builder.bytes_of(out, ranks), {out},
                         builder.real_rank((self + ranks - 1) % ranks), builder.bytes_of(in, ranks), {in}, frontier);
  }
  return frontier;
}

}  // namespace

std::vector<NamedAlgorithm> bcast_algorithms() {
  return {{1, "basic_linear", over_tree<star>},
          {2, "chain", over_tree<four_chains>},
          {3, "pipeline", over_tree<pipeline>},
          {5, "binary_tree", over_tree<binary>},
          {6, "binomial", over_tree<binomial_by_high_bit>},
          {7, "knomial", over_tree<knomial>},
          {9, "scatter_allgather_ring", scatter_allgather_ring}};
}

}  // namespace laxity::schedule::detail
