// Recursive halving and doubling among the largest power of two of ranks, and what the ranks beyond it do.
//
// With p ranks and q = 2^k <= p < 2^(k+1), the first 2 (p - q) ranks form pairs, one of which takes part for both. The
// q ranks that take part are numbered anew.
// Source: Rabenseifner, Optimization of collective reduction operations, ICCS 2004.
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "laxity/schedule/detail/algorithms/builder.hpp"

namespace laxity::schedule::detail {

/// The q = bit_floor(ranks) ranks that take part.
class PowerOfTwoGroup {
 public:
  /// Which rank of a pair takes part.
  enum class Member : std::uint8_t { even, odd };

  PowerOfTwoGroup(std::uint32_t ranks, Member member) noexcept;

  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  /// Number of a rank within the group; none for a rank whose partner takes part for both.
  [[nodiscard]] std::optional<std::uint32_t> number_of(std::uint32_t rank) const noexcept;
  [[nodiscard]] std::uint32_t rank_of(std::uint32_t number) const noexcept;
  /// The other rank of the pair of a rank; none for a rank without.
  [[nodiscard]] std::optional<std::uint32_t> partner_of(std::uint32_t rank) const noexcept;

 private:
  std::uint32_t size_;
  std::uint32_t excess_;  // ranks beyond the power of two, which is the number of pairs
  std::uint32_t member_;  // parity of the member of a pair
};

/// The rank of a pair that does not take part sends its whole vector, of `parts` slots, to the other.
[[nodiscard]] Frontier fold(Builder& builder, const PowerOfTwoGroup& group, std::uint32_t parts, const Frontier& after);
/// Both ranks of a pair combine one half of the vector each, and the member gets both.
[[nodiscard]] Frontier fold_halves(Builder& builder, const PowerOfTwoGroup& group, const Frontier& after);
/// The member of a pair sends the whole result to the other.
[[nodiscard]] Frontier unfold(Builder& builder, const PowerOfTwoGroup& group, std::uint32_t parts,
                              const Frontier& after);

/// For members of the group: exchanges halves of a window of the size() slots, with the nearest member first, until
/// each member holds one combined slot. `windows` receives the window before each step, and the last one.
[[nodiscard]] Frontier reduce_scatter_by_halving(Builder& builder, const PowerOfTwoGroup& group,
                                                 std::vector<Slots>& windows, const Frontier& after);
/// The same steps backwards: afterwards every member holds all slots.
[[nodiscard]] Frontier allgather_by_doubling(Builder& builder, const PowerOfTwoGroup& group,
                                             const std::vector<Slots>& windows, const Frontier& after);
/// The half of `whole` that is not `half`.
[[nodiscard]] Slots other_half(const Slots& whole, const Slots& half) noexcept;

}  // namespace laxity::schedule::detail
