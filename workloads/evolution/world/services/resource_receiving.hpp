// A cell takes what its neighbors have sent; where no cell lives, it is sent back.
//
//   stockpile <- stockpile + keep^2 * received
#pragma once

#include <cstddef>

#include "workloads/evolution/world/services/context.hpp"

namespace laxity::evolution {

/// Returns what is sent back.
[[nodiscard]] inline Amounts receive_resource(Cell& cell, const Amounts& received, ServiceContext& context) noexcept {
  if (!cell.alive) return received;
  const double keep = context.parameters.resource.keep;
  double sum = 0;
  for (std::size_t i = 0; i < directions; ++i) {
    cell.cardinals[i].state.set(Fact::received, received[i]);
    sum += received[i];
  }
  const double kept = sum * keep * keep;
  cell.stockpile += kept;
  context.account.add(ResourceTerm::received, kept);
  context.account.add(ResourceTerm::receipt_decay, sum - kept);
  return {};
}

}  // namespace laxity::evolution
