// Algorithms of MPI_Alltoall. The slot of a block is source * ranks + destination.
#include "laxity/schedule/detail/algorithms/builder.hpp"
#include "laxity/schedule/detail/algorithms/own.hpp"

namespace laxity::schedule::detail {
namespace {

Slots block(const Builder& builder, std::uint32_t source, std::uint32_t destination) {
  return {source * builder.ranks() + destination};
}

// All messages at once; the sends begin with the rank below.
Frontier linear(Builder& builder, const Frontier& after) {
  const std::uint32_t self = builder.rank(), ranks = builder.ranks();
  const std::uint64_t bytes = builder.call().bytes;
  Frontier frontier;
  for (std::uint32_t i = 1; i < ranks; ++i) {
    const std::uint32_t to = (self + ranks - i) % ranks;
    frontier.push_back(builder.send(to, bytes, block(builder, self, to), after));
  }
  for (std::uint32_t i = 1; i < ranks; ++i) {
    const std::uint32_t from = (self + i) % ranks;
    frontier.push_back(builder.receive(from, bytes, block(builder, from, self), after));
  }
  return frontier.empty() ? after : frontier;
}

Frontier pairwise(Builder& builder, const Frontier& after) {
  const std::uint32_t self = builder.rank(), ranks = builder.ranks();
  const std::uint64_t bytes = builder.call().bytes;
  Frontier frontier = after;
  for (std::uint32_t step = 1; step < ranks; ++step) {
    const std::uint32_t to = (self + step) % ranks, from = (self + ranks - step) % ranks;
    const OpId sent = builder.send(to, bytes, block(builder, self, to), frontier);
    frontier = {sent, builder.receive(from, bytes, block(builder, from, self), frontier)};
  }
  return frontier;
}

// In step k travels, 2^k ranks further, every block whose remaining distance has bit k set.
Frontier bruck(Builder& builder, const Frontier& after) {
  const std::uint32_t self = builder.rank(), ranks = builder.ranks();
  Frontier frontier = after;
  for (std::uint32_t distance = 1; distance < ranks; distance *= 2) {
    std::uint64_t blocks = 0;
    for (std::uint32_t travels = 1; travels < ranks; ++travels) blocks += (travels & distance) != 0;
    const std::uint32_t to = (self + distance) % ranks, from = (self + ranks - distance) % ranks;
    // A block that still has to travel `travels` (its bits from `distance` on) has come the lower bits from its source.
    const auto held_by = [&](std::uint32_t holder) {
      std::vector<Slots> slots;
      for (std::uint32_t travels = 1; builder.records_contents() && travels < ranks; ++travels) {
        if ((travels & distance) == 0) continue;
        const std::uint32_t source = (holder + ranks - (travels & (distance - 1))) % ranks;
        slots.push_back(block(builder, source, (source + travels) % ranks));
      }
      return slots;
    };
    const std::uint64_t bytes = blocks * builder.call().bytes;
    frontier = builder.exchange(to, bytes, held_by(self), from, bytes, held_by(from), frontier);
  }
  return frontier;
}

}  // namespace

std::vector<NamedAlgorithm> alltoall_algorithms() {
  return {{1, "linear", linear},
          {2, "pairwise", pairwise},
          {3, "modified_bruck", bruck},
          {101, "laxity_arrival_order", exchange_in_arrival_order}};
}

}  // namespace laxity::schedule::detail
