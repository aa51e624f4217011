#include "workloads/evolution/world/services/facts.hpp"

#include <cstddef>
#include <cstdint>

namespace laxity::evolution {
namespace {

// The same for all cardinals.
void set_facts_of_cell(CardinalState& state, const Cell& cell, const ServiceContext& context) noexcept {
  const std::uint32_t age = context.update - cell.born;
  const std::uint32_t epoch_length = context.parameters.periods.exchange;
  state.set(Fact::alive, 1);
  state.set(Fact::age, age);
  const std::uint32_t epochs = age / epoch_length;
  state.set(Fact::epochs, epochs);
  state.set(Fact::stockpile, cell.stockpile);
  state.set(Fact::newborn, age < epoch_length);
  for (std::size_t level = 0; level < kin_levels; ++level) {
    const auto of_level = [level](Fact first) { return static_cast<Fact>(static_cast<std::size_t>(first) + level); };
    const int size = cell.group_size(level);
    const std::uint32_t group_epochs = group_age(cell.genome.kin, level, context.epoch());
    state.set(of_level(Fact::group_size_0), size);
    state.set(of_level(Fact::quorum_exceeded_0), size > static_cast<int>(context.parameters.best_group_size[level]));
    state.set(of_level(Fact::group_age_0), group_epochs);
    state.set(of_level(Fact::group_will_expire_0), group_epochs > context.parameters.group_expiry[level]);
    state.set_id(CardinalState::kin_0 + level, cell.genome.kin.ids[level]);
    state.set_id(CardinalState::ancestor_0 + level, cell.genome.kin.ancestors[level]);
  }
  state.set_id(CardinalState::lineage, cell.genome.descent.lineage);
  const Descent& descent = cell.genome.descent;
  double births = 0;
  for (std::size_t level = 0; level <= kin_levels; ++level) {
    births += descent.generations[level];
    state.set(static_cast<Fact>(static_cast<std::size_t>(Fact::generations_0) + level), descent.generations[level]);
  }
  state.set(Fact::generations, births);
  state.set(Fact::program_length, static_cast<double>(cell.program->size()));
  state.set(Fact::mutations,
            static_cast<double>(std::uint64_t{descent.insertions} + descent.deletions + descent.bit_flips));
  state.set(Fact::dying, cell.asks_to_die());
  state.set(Fact::fragmented, cell.fragmented);
}

}  // namespace

void refresh_facts(Cell& cell, const NeighborStates& neighbors, const ServiceContext& context) noexcept {
  int kin = 0;
  for (std::size_t i = 0; i < directions; ++i) {
    CardinalState& state = cell.cardinals[i].state;
    set_facts_of_cell(state, cell, context);
    state.set(Fact::running_cores, cell.cardinals[i].cpu.running());
    state.set(Fact::child_of_neighbor, cell.parent == i);
    kin += are_kin(state, *neighbors[i], 0);
  }
  for (Cardinal& cardinal : cell.cardinals) cardinal.state.set(Fact::kin_neighbors, kin);
}

}  // namespace laxity::evolution
