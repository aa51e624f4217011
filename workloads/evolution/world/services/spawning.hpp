// A cell sends offspring to its neighbors: while its stockpile is at least the cost of a spawn, a random cardinal that requests
// offspring and is not under arrest is served, each once.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "workloads/evolution/world/services/context.hpp"

namespace laxity::evolution {

/// Kin groups that offspring in this direction founds anew, 0 to 2.
[[nodiscard]] inline std::uint32_t replication_level(const CardinalState& state) noexcept {
  if (!state.is_set(Control::replication_level)) return 0;
  return static_cast<std::uint32_t>(
      std::clamp(state.control(Control::replication_level), 0.F, static_cast<float>(kin_levels)));
}

/// try_spawn(direction, inheritance) is false if the mesh refuses.
template <class TrySpawn>
void spawn(Cell& cell, ServiceContext& context, TrySpawn&& try_spawn) {
  std::array<std::size_t, directions> requests{};
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < directions; ++i) {
    const CardinalState& state = cell.cardinals[i].state;
    if (state.is_set(Control::spawn) && !state.is_set(Control::spawn_arrest)) requests[count++] = i;
  }
  const double cost = context.parameters.resource.spawn_cost;
  while (count > 0 && cell.stockpile >= cost) {
    const std::uint32_t chosen = context.random.below(count);
    const std::size_t direction = requests[chosen];
    requests[chosen] = requests[--count];
    Cardinal& cardinal = cell.cardinals[direction];
    if (!try_spawn(direction, Inheritance{cell.genome, cell.program, replication_level(cardinal.state)})) {
      ++context.tallies.refused_spawns;
      continue;
    }
    cell.stockpile -= cost;
    context.account.add(ResourceTerm::spawn, cost);
    ++context.tallies.spawns;
    cardinal.state.set(Fact::offspring, cardinal.state.fact(Fact::offspring) + 1);
  }
}

}  // namespace laxity::evolution
