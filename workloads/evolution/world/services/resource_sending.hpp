// A cell sends resource to its neighbors, as its cardinals' controls say.
//
//   a_i = clamp((stockpile - reserve_i) * fraction_i, 0, stockpile), at most limit_i if that is positive
//   sent to a living neighbor i: a_i * a_i / sum of a_j
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "workloads/evolution/world/services/context.hpp"

namespace laxity::evolution {

/// Takes an amount of the stockpile for a neighbor; less if rounding to what is sent would overdraw it.
inline float withdraw(Cell& cell, double amount, ServiceContext& context) noexcept {
  auto sent = static_cast<float>(amount);
  if (sent > cell.stockpile) sent = std::nextafter(static_cast<float>(cell.stockpile), 0.F);
  cell.stockpile -= sent;
  context.account.add(ResourceTerm::sent, sent);
  return sent;
}

[[nodiscard]] inline Amounts send_resource(Cell& cell, const NeighborStates& neighbors,
                                           ServiceContext& context) noexcept {
  std::array<double, directions> wanted{};
  double sum = 0;
  for (std::size_t i = 0; i < directions; ++i) {
    const CardinalState& state = cell.cardinals[i].state;
    if (!state.is_set(Control::send_fraction)) continue;
    const auto number = [&](Control which) {
      return state.is_set(which) ? static_cast<double>(state.control(which)) : 0.;
    };
    const double above = std::clamp(cell.stockpile - number(Control::reserve), 0., cell.stockpile);
    wanted[i] = above * std::clamp(number(Control::send_fraction), 0., 1.);
    if (const double limit = number(Control::send_limit); limit > 0) wanted[i] = std::min(wanted[i], limit);
    sum += wanted[i];
  }
  Amounts sent{};
  for (std::size_t i = 0; i < directions; ++i) {
    if (wanted[i] > 0 && neighbors[i]->holds(Fact::alive)) {
      sent[i] = withdraw(cell, wanted[i] * (wanted[i] / sum), context);
    }
    cell.cardinals[i].state.set(Fact::sent, sent[i]);
  }
  return sent;
}

}  // namespace laxity::evolution
