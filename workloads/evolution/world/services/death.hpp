// A cell dies: at its own request, replaced by a neighbor's offspring, or by the fragmentation of its kin group.
//
//   heirs receive equal parts of stockpile + (apoptosis if the death was requested, else 0); without heirs it is lost
#pragma once

#include <algorithm>
#include <cstddef>

#include "workloads/evolution/world/services/context.hpp"
#include "workloads/evolution/world/services/resource_sending.hpp"

namespace laxity::evolution {

/// Returns what the heirs receive. Leaves the place empty, with its program, which is replaced at the next birth.
[[nodiscard]] inline Amounts die(Cell& cell, ServiceContext& context) noexcept {
  if (cell.asks_to_die()) {
    const double created = context.parameters.resource.apoptosis;
    cell.stockpile += created;
    context.account.add(ResourceTerm::apoptosis, created);
  }
  const auto is_heir = [](const Cardinal& cardinal) { return cardinal.state.is_set(Control::heir); };
  const auto heirs = std::ranges::count_if(cell.cardinals, is_heir);
  Amounts paid{};
  const double part = cell.stockpile / static_cast<double>(std::max<std::ptrdiff_t>(heirs, 1));
  for (std::size_t i = 0; i < directions; ++i) {
    if (is_heir(cell.cardinals[i])) paid[i] = withdraw(cell, part, context);
  }
  context.account.add(ResourceTerm::lost, cell.stockpile);
  cell.stockpile = 0;
  cell.alive = false;
  context.births.end(cell.genome.descent, context.update);
  for (Quorum& quorum : cell.quorum) quorum.found(context.random);  // withdraws what the cell has spread
  for (Cardinal& cardinal : cell.cardinals) {
    cardinal.state = {};
    cardinal.cpu.end_cores();
    cardinal.inbox.clear();
  }
  return paid;
}

}  // namespace laxity::evolution
