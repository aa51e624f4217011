// A cell is born: it takes the genome of its parent, which may mutate, and starts in kin groups of its own or its parent's.
//
// A cell repels the offspring of its neighbors, in random order, while its stockpile is at least the cost of defense; the
// first that it cannot repel replaces it.
// Elsewhere: mutation (genome/mutation.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>

#include "workloads/evolution/genome/mutation.hpp"
#include "workloads/evolution/world/services/context.hpp"

namespace laxity::evolution {

/// Gives life to a place. `parent` is the direction of the neighbor that spawned the cell, or Cell::no_parent.
inline void come_alive(Cell& cell, const Inheritance& inherited, std::size_t parent, ServiceContext& context) {
  cell.genome = inherited.header;
  context.births.add(cell.genome.descent, context.update);
  cell.program = inherited.program;
  cell.alive = true;
  cell.fragmented = false;
  cell.parent = parent;
  cell.born = context.update;
  const ResourceParameters& resource = context.parameters.resource;
  cell.stockpile = resource.start_min + (resource.start_max - resource.start_min) * context.random.unit();
  context.account.add(ResourceTerm::start, cell.stockpile);
  for (Quorum& quorum : cell.quorum) quorum.found(context.random);
  for (Cardinal& cardinal : cell.cardinals) {
    cardinal.state = {};
    cardinal.inbox.clear();
    cardinal.cpu.load(cell.program);
  }
}

/// What the offspring of a cell inherits: new kin groups according to the replication level, and perhaps mutations.
[[nodiscard]] inline Inheritance inherit(const Inheritance& parent, ServiceContext& context) {
  const std::size_t level = parent.replication_level;
  Inheritance child = parent;
  child.header.kin.renew(level, context.epoch(), context.random);
  child.header.descent.add_birth(level, context.random);
  if (!mutates(level, context.parameters.mutation, context.random)) return child;
  Genome genome;
  static_cast<GenomeHeader&>(genome) = child.header;
  genome.program = parent.program->program();
  mutate(genome, context.parameters.mutation, context.random);
  child.header = genome;
  const bool same = genome.program == parent.program->program();  // then cells share it
  if (!same) child.program = std::make_shared<const LoadedProgram>(std::move(genome.program));
  return child;
}

/// The direction whose offspring replaces the cell, or `directions` if all are repelled. arrived[i] says whether neighbor i
/// sent offspring.
[[nodiscard]] inline std::size_t contest(Cell& cell, const std::array<bool, directions>& arrived,
                                         ServiceContext& context) noexcept {
  std::array<std::size_t, directions> order{0, 1, 2, 3};
  for (std::size_t i = directions - 1; i > 0; --i) {
    std::swap(order[i], order[context.random.below(static_cast<std::uint32_t>(i) + 1)]);
  }
  const double cost = context.parameters.resource.defense_cost;
  for (const std::size_t direction : order) {
    if (!arrived[direction]) continue;
    if (!cell.alive || cell.stockpile < cost) return direction;
    cell.stockpile -= cost;
    context.account.add(ResourceTerm::defense, cost);
    ++context.tallies.repelled;
  }
  return directions;
}

}  // namespace laxity::evolution
