// Algorithms of MPI_Reduce.
#include "laxity/schedule/detail/algorithms/halving.hpp"
#include "laxity/schedule/detail/algorithms/own.hpp"
#include "laxity/schedule/detail/algorithms/tree_phases.hpp"

namespace laxity::schedule::detail {
namespace {

template <Tree tree>
Frontier over_tree(Builder& builder, const Frontier& after) {
  return reduce_over(builder, tree(builder.rank(), builder.ranks(), builder.root()), after);
}

// The last rank is the root of the tree, so that the order of ranks is kept; it hands the result on.
Frontier in_order(Builder& builder, const Frontier& after) {
  Frontier frontier = reduce_over(builder, in_order_binary(builder.rank(), builder.ranks(), builder.root()), after);
  const std::uint32_t last = builder.ranks() - 1;
  if (builder.root() == last) return frontier;
  const std::uint32_t segments = segments_of(builder.call());
  if (builder.rank() == last) return {builder.send(builder.root(), builder.call().bytes, {0, segments}, frontier)};
  if (builder.rank() == builder.root()) return {builder.receive(last, builder.call().bytes, {0, segments}, frontier)};
  return frontier;
}

// Recursive halving, then the slots are gathered along the same steps backwards by the root of the call, or by the
// member of its pair.
Frontier rabenseifner(Builder& builder, const Frontier& after) {
  const PowerOfTwoGroup group(builder.ranks(), PowerOfTwoGroup::Member::even);
  const Slots all{0, group.size()};
  Frontier frontier = fold_halves(builder, group, after);
  const bool root_takes_part = group.number_of(builder.root()).has_value();
  const std::uint32_t collector =
      *group.number_of(root_takes_part ? builder.root() : *group.partner_of(builder.root()));
  if (const auto self = group.number_of(builder.rank())) {
    std::vector<Slots> windows;
    frontier = reduce_scatter_by_halving(builder, group, windows, frontier);
    std::uint32_t distance = group.size() / 2;
    for (std::size_t step = windows.size() - 1; step > 0; --step, distance /= 2) {
      const std::uint32_t partner = group.rank_of(*self ^ distance);
      const bool gives = ((*self ^ collector) & distance) != 0;
      const Slots slots = gives ? windows[step] : other_half(windows[step - 1], windows[step]);
      const std::uint64_t bytes = builder.bytes_of(slots, group.size());
      if (gives) return {builder.send(partner, bytes, slots, frontier)};
      frontier = {builder.receive(partner, bytes, slots, frontier)};
    }
    if (!root_takes_part) return {builder.send(builder.root(), builder.call().bytes, all, frontier)};
  } else if (builder.rank() == builder.root()) {
    frontier = {builder.receive(group.rank_of(collector), builder.call().bytes, all, frontier)};
  }
  return frontier;
}

}  // namespace

std::vector<NamedAlgorithm> reduce_algorithms() {
  return {{1, "linear", over_tree<star>},
          {2, "chain", over_tree<four_chains>},
          {3, "pipeline", over_tree<pipeline>},
          {4, "binary", over_tree<binary>},
          {5, "binomial", over_tree<binomial>},
          {6, "in-order_binary", in_order},
          {7, "rabenseifner", rabenseifner},
          {101, "laxity_arrival_order", reduce_in_arrival_order},
          {102, "laxity_rank_order", over_tree<star>},
          {103, "laxity_reduce_scatter", reduce_by_parts}};
}

}  // namespace laxity::schedule::detail
