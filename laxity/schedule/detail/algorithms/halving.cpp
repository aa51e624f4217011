#include "laxity/schedule/detail/algorithms/halving.hpp"

#include <algorithm>
#include <bit>

namespace laxity::schedule::detail {

PowerOfTwoGroup::PowerOfTwoGroup(std::uint32_t ranks, Member member) noexcept
    : size_(std::bit_floor(ranks)), excess_(ranks - size_), member_(member == Member::odd ? 1 : 0) {}

std::optional<std::uint32_t> PowerOfTwoGroup::number_of(std::uint32_t rank) const noexcept {
  if (rank >= 2 * excess_) return rank - excess_;
  return rank % 2 == member_ ? std::optional(rank / 2) : std::nullopt;
}

std::uint32_t PowerOfTwoGroup::rank_of(std::uint32_t number) const noexcept {
  return number < excess_ ? 2 * number + member_ : number + excess_;
}

std::optional<std::uint32_t> PowerOfTwoGroup::partner_of(std::uint32_t rank) const noexcept {
  return rank < 2 * excess_ ? std::optional(rank ^ 1U) : std::nullopt;
}

Frontier fold(Builder& builder, const PowerOfTwoGroup& group, std::uint32_t parts, const Frontier& after) {
  const auto partner = group.partner_of(builder.rank());
  if (!partner) return after;
  const std::uint64_t bytes = builder.call().bytes;
  if (!group.number_of(builder.rank())) return {builder.send(*partner, bytes, {0, parts}, after)};
  return {builder.receive(*partner, bytes, {0, parts}, after, true)};
}

Frontier fold_halves(Builder& builder, const PowerOfTwoGroup& group, const Frontier& after) {
  const auto partner = group.partner_of(builder.rank());
  if (!partner) return after;
  const std::uint32_t half = group.size() / 2;
  const Slots lower{0, half}, upper{half, group.size() - half};
  const std::uint64_t lower_bytes = builder.bytes_of(lower, group.size()),
                      upper_bytes = builder.call().bytes - lower_bytes;
  if (group.number_of(builder.rank())) {
    const Frontier combined =
        builder.exchange(*partner, upper_bytes, {upper}, *partner, lower_bytes, {lower}, after, true);
    return {builder.receive(*partner, upper_bytes, upper, combined)};
  }
  const Frontier combined =
      builder.exchange(*partner, lower_bytes, {lower}, *partner, upper_bytes, {upper}, after, true);
  return {builder.send(*partner, upper_bytes, upper, combined)};
}

Frontier unfold(Builder& builder, const PowerOfTwoGroup& group, std::uint32_t parts, const Frontier& after) {
  const auto partner = group.partner_of(builder.rank());
  if (!partner) return after;
  const std::uint64_t bytes = builder.call().bytes;
  if (!group.number_of(builder.rank())) return {builder.receive(*partner, bytes, {0, parts}, after)};
  return {builder.send(*partner, bytes, {0, parts}, after)};
}

Slots other_half(const Slots& whole, const Slots& half) noexcept {
  return {half.first == whole.first ? whole.first + half.count : whole.first, whole.count - half.count};
}

Frontier reduce_scatter_by_halving(Builder& builder, const PowerOfTwoGroup& group, std::vector<Slots>& windows,
                                   const Frontier& after) {
  const std::uint32_t self = *group.number_of(builder.rank());
  Frontier frontier = after;
  windows = {{0, group.size()}};
  for (std::uint32_t distance = 1; distance < group.size(); distance *= 2) {
    const Slots whole = windows.back();
    const std::uint32_t half = whole.count / 2;
    const Slots kept{(self & distance) == 0 ? whole.first : whole.first + half, half};
    const Slots given = other_half(whole, kept);
    const std::uint32_t partner = group.rank_of(self ^ distance);
    frontier = builder.exchange(partner, builder.bytes_of(given, group.size()), {given}, partner,
                                builder.bytes_of(kept, group.size()), {kept}, frontier, true);
    windows.push_back(kept);
  }
  return frontier;
}

Frontier allgather_by_doubling(Builder& builder, const PowerOfTwoGroup& group, const std::vector<Slots>& windows,
                               const Frontier& after) {
  const std::uint32_t self = *group.number_of(builder.rank());
  Frontier frontier = after;
  std::uint32_t distance = group.size() / 2;
  for (std::size_t step = windows.size() - 1; step > 0; --step, distance /= 2) {
    const Slots own = windows[step], other = other_half(windows[step - 1], own);
    const std::uint32_t partner = group.rank_of(self ^ distance);
    frontier = builder.exchange(partner, builder.bytes_of(own, group.size()), {own}, partner,
                                builder.bytes_of(other, group.size()), {other}, frontier);
  }
  return frontier;
}

}  // namespace laxity::schedule::detail
