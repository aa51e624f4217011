// Stockpiles decay: by a constant factor, and faster in kin groups that are too large.
//
//   stockpile <- keep * stockpile * product over levels of keep^(2^n), n = max(group size - best size, 0)
#pragma once

#include <cmath>
#include <cstddef>

#include "workloads/evolution/world/services/context.hpp"

namespace laxity::evolution {

inline void decay_stockpile(Cell& cell, ServiceContext& context) noexcept {
  const double keep = context.parameters.resource.keep;
  const double left = cell.stockpile * keep;
  context.account.add(ResourceTerm::decay, cell.stockpile - left);
  double exponent = 0;
  for (std::size_t level = 0; level < kin_levels; ++level) {
    const int over = cell.group_size(level) - static_cast<int>(context.parameters.best_group_size[level]);
    if (over > 0) exponent += std::ldexp(1., over);
  }
  cell.stockpile = exponent == 0 ? left : left * std::pow(keep, exponent);
  context.account.add(ResourceTerm::group_size, left - cell.stockpile);
}

}  // namespace laxity::evolution
