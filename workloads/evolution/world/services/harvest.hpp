// Cells harvest resource, alone and for belonging to a kin group.
//
//   stockpile <- stockpile + base_harvest, in every update
//   stockpile <- stockpile + group_harvest * sum over levels of min(best size, group size - 1), in every group period
#pragma once

#include <algorithm>
#include <cstddef>

#include "workloads/evolution/world/services/context.hpp"

namespace laxity::evolution {

inline void harvest(Cell& cell, ServiceContext& context) noexcept {
  const double amount = context.parameters.resource.base_harvest;
  cell.stockpile += amount;
  context.account.add(ResourceTerm::base_harvest, amount);
}

inline void harvest_as_group(Cell& cell, ServiceContext& context) noexcept {
  int others = 0;
  for (std::size_t level = 0; level < kin_levels; ++level) {
    const auto best = static_cast<int>(context.parameters.best_group_size[level]);
    others += std::clamp(cell.group_size(level) - 1, 0, best);
  }
  const double amount = context.parameters.resource.group_harvest * others;
  cell.stockpile += amount;
  context.account.add(ResourceTerm::group_harvest, amount);
}

}  // namespace laxity::evolution
