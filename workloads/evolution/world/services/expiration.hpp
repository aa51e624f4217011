// Kin groups expire: a cell of an old group fragments, which kills it and gives life to its descendant in place, in new groups.
//
//   probability = min(rate * max(age - expiry, 0), 1), ages in epochs, of the outer level
#pragma once

#include "workloads/evolution/world/services/context.hpp"

namespace laxity::evolution {

[[nodiscard]] inline bool expires(const Cell& cell, ServiceContext& context) noexcept {
  constexpr std::size_t outer = kin_levels - 1;
  const std::uint32_t age = group_age(cell.genome.kin, outer, context.epoch());
  const std::uint32_t expiry = context.parameters.group_expiry[outer];
  if (age <= expiry) return false;
  return context.random.unit() < context.parameters.expiry_rate * static_cast<double>(age - expiry);
}

}  // namespace laxity::evolution
