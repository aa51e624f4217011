#include "workloads/evolution/world/services/event_conditions.hpp"

#include <cstddef>

namespace laxity::evolution {

Events events_of(const CardinalState& own, const CardinalState& neighbor, const Parameters& parameters) noexcept {
  Events events{};
  const auto set = [&](Event event, bool holds, std::size_t level = 0) {
    events[static_cast<std::size_t>(event) + level] = holds;
  };
  const bool alive = neighbor.holds(Fact::alive);
  const float stockpile = own.fact(Fact::stockpile);
  const auto spawn_cost = static_cast<float>(parameters.resource.spawn_cost);
  const bool same_lineage = own.id(CardinalState::lineage) == neighbor.id(CardinalState::lineage);
  set(Event::always, true);
  set(Event::newborn, own.holds(Fact::newborn));
  set(Event::child_cell_of_neighbor, own.holds(Fact::child_of_neighbor));
  set(Event::parent_cell_of_neighbor, alive && neighbor.holds(Fact::child_of_neighbor));
  set(Event::parent_fragmented, own.holds(Fact::fragmented));
  set(Event::neighbor_alive, alive);
  set(Event::neighbor_not_alive, !alive);
  set(Event::neighbor_newborn, alive && neighbor.holds(Fact::newborn));
  set(Event::neighbor_dying, alive && neighbor.holds(Fact::dying));
  set(Event::neighbor_fragmented, alive && neighbor.holds(Fact::fragmented));
  set(Event::lineage_match, alive && same_lineage);
  set(Event::lineage_mismatch, alive && !same_lineage);
  set(Event::richer_than_neighbor, alive && stockpile > neighbor.fact(Fact::stockpile));
  set(Event::poorer_than_neighbor, alive && stockpile < neighbor.fact(Fact::stockpile));
  set(Event::received_resource, own.fact(Fact::received) > 0);
  set(Event::stockpile_depleted, stockpile < spawn_cost / 10);
  set(Event::stockpile_sufficient, stockpile >= spawn_cost);
  for (std::size_t level = 0; level < kin_levels; ++level) {
    const auto holds = [level](const CardinalState& state, Fact first) {
      return state.holds(static_cast<Fact>(static_cast<std::size_t>(first) + level));
    };
    const bool kin = are_kin(own, neighbor, level);
    const bool child_group =
        alive && own.id(CardinalState::ancestor_0 + level) == neighbor.id(CardinalState::kin_0 + level);
    const bool will_expire = holds(own, Fact::group_will_expire_0);
    const bool exceeded = holds(own, Fact::quorum_exceeded_0);
    set(Event::child_group_of_neighbor_0, child_group, level);
    set(Event::kin_match_0, kin, level);
    set(Event::kin_mismatch_0, alive && !kin, level);
    set(Event::group_will_expire_0, will_expire, level);
    set(Event::group_will_not_expire_0, !will_expire, level);
    set(Event::neighbor_group_will_expire_0, alive && holds(neighbor, Fact::group_will_expire_0), level);
    set(Event::neighbor_quorum_exceeded_0, alive && holds(neighbor, Fact::quorum_exceeded_0), level);
    set(Event::quorum_exceeded_0, exceeded, level);
    set(Event::quorum_not_exceeded_0, !exceeded, level);
  }
  return events;
}

}  // namespace laxity::evolution
