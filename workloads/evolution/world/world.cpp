#include "workloads/evolution/world/world.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>

#include "workloads/evolution/world/digest.hpp"
#include "workloads/evolution/world/peripheral.hpp"
#include "workloads/evolution/world/services/birth.hpp"
#include "workloads/evolution/world/services/controls.hpp"
#include "workloads/evolution/world/services/death.hpp"
#include "workloads/evolution/world/services/event_conditions.hpp"
#include "workloads/evolution/world/services/expiration.hpp"
#include "workloads/evolution/world/services/facts.hpp"
#include "workloads/evolution/world/services/harvest.hpp"
#include "workloads/evolution/world/services/resource_receiving.hpp"
#include "workloads/evolution/world/services/resource_sending.hpp"
#include "workloads/evolution/world/services/spawning.hpp"
#include "workloads/evolution/world/services/stockpile_decay.hpp"

namespace laxity::evolution {
namespace {

// Fisher and Yates, Statistical tables (1938).
template <class T>
void shuffle(std::span<T> values, SeededRandom& random) noexcept {
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[random.below(static_cast<std::uint32_t>(i))]);
  }
}

template <class Node>
void put(const Node& node, const Amounts& amounts) {
  const auto outputs = node.template outputs<resource_layer>();
  for (std::size_t i = 0; i < directions; ++i) {
    if (amounts[i] != 0) outputs[static_cast<std::uint32_t>(i)].try_put(amounts[i]);  // accumulates: never refused
  }
}

}  // namespace

World::World(const EvolutionMesh& mesh, Connector& connector, const Parameters& parameters, std::uint64_t seed,
             const std::vector<Genome>& ancestors, BirthRecord births)
    : parameters_(parameters),
      part_(mesh.part(connector)),
      context_{.parameters = parameters_,
               .random = SeededRandom(SeededRandom(seed).bits() + part_.worker()),
               .births = std::move(births)},
      order_(part_.size()) {
  std::iota(order_.begin(), order_.end(), 0U);
  cells_.reserve(part_.size());
  for (std::uint32_t i = 0; i < part_.size(); ++i) {
    come_alive(cells_.emplace_back(parameters_.cpu), first_genome(ancestors), Cell::no_parent, context_);
  }
}

Inheritance World::first_genome(const std::vector<Genome>& ancestors) {
  SeededRandom& random = context_.random;
  if (ancestors.empty()) {
    Genome genome = random_genome(parameters_.program_length, random);
    return {genome, std::make_shared<const LoadedProgram>(std::move(genome.program))};
  }
  const std::uint32_t which = random.below(static_cast<std::uint32_t>(ancestors.size()));
  const Genome& ancestor = ancestors[which];
  Inheritance first{ancestor, std::make_shared<const LoadedProgram>(ancestor.program)};
  first.header.kin.renew(kin_levels, 0, random);
  first.header.descent.lineage = (random.bits() & ~std::uint64_t{0xff}) | (which & 0xff);
  first.header.descent.individual = 0;
  return first;
}

void World::update() {
  part_.pull();
  if (context_.is_due(parameters_.periods.exchange)) diversity_.count(cells_, parameters_.resource.max_lineage);
  shuffle(std::span(order_), context_.random);
  const auto nodes = part_.nodes();
  for (const std::uint32_t i : order_) update_cell(nodes[i]);
  if (context_.is_due(parameters_.periods.birth)) send_messages();
  part_.flush();
  ++context_.update;
}

template <class Node>
void World::update_cell(const Node& node) {
  Cell& cell = cells_[node.index()];
  const Periods& periods = parameters_.periods;
  const auto states = node.template inputs<state_layer>();
  NeighborStates neighbors{};
  for (std::uint32_t i = 0; i < directions; ++i) neighbors[i] = &states[i].get();

  count_kin(node, cell, neighbors);
  if (context_.is_due(periods.birth)) bear(node, cell);
  if (context_.is_due(periods.receive)) {
    Amounts received{};
    const auto inputs = node.template inputs<resource_layer>();
    for (std::uint32_t i = 0; i < directions; ++i) received[i] = inputs[i].take();
    put(node, receive_resource(cell, received, context_));
  }
  if (cell.alive) live(node, cell, neighbors);
  if (context_.is_due(periods.exchange)) send_states(node, cell);
}

template <class Node>
void World::live(const Node& node, Cell& cell, const NeighborStates& neighbors) {
  const Periods& periods = parameters_.periods;
  if (context_.is_due(periods.birth) && cell.asks_to_die()) {
    ++context_.tallies.apoptosis;
    return put(node, die(cell, context_));
  }
  if (context_.is_due(periods.expiration) && expires(cell, context_)) {
    ++context_.tallies.fragmented;
    const Inheritance own{cell.genome, cell.program, kin_levels};
    put(node, die(cell, context_));
    come_alive(cell, inherit(own, context_), Cell::no_parent, context_);
    cell.fragmented = true;
  }
  if (context_.is_due(periods.exchange)) {
    diversity_.maintain(cell, context_);
    disturb_controls(cell, context_);
    refresh_facts(cell, neighbors, context_);
    start_cores(node, cell, neighbors);
  }
  execute(node, cell, neighbors);
  decay_stockpile(cell, context_);
  harvest(cell, context_);
  if (context_.is_due(periods.group_harvest)) harvest_as_group(cell, context_);
  put(node, send_resource(cell, neighbors, context_));
  if (context_.is_due(periods.birth)) {
    const auto outputs = node.template outputs<spawn_layer>();
    spawn(cell, context_, [&](std::size_t direction, const Inheritance& offspring) {
      return outputs[static_cast<std::uint32_t>(direction)].try_put(offspring);
    });
  }
  if (context_.is_due(periods.baseline)) return_to_baseline(cell);
}

template <class Node>
void World::count_kin(const Node& node, Cell& cell, const NeighborStates& neighbors) {
  const auto inputs = node.template inputs<quorum_layer>();
  std::array<RoundTrips::Stamp, directions> stamps{};
  std::array<std::array<Quorum::Message, directions>, kin_levels> messages{};
  for (std::uint32_t i = 0; i < directions; ++i) {
    const QuorumMessage& message = inputs[i].get();
    stamps[i] = message.stamp;
    const bool both_alive = cell.alive && neighbors[i]->holds(Fact::alive);
    for (std::size_t level = 0; level < kin_levels; ++level) {
      messages[level][i] = message.levels[level];
      const bool kin = both_alive && cell.genome.kin.ids[level] == neighbors[i]->id(CardinalState::kin_0 + level);
      if (!kin) messages[level][i].known = 0;
    }
  }
  const bool complete = cell.round_trips.receive(stamps);
  for (std::size_t level = 0; level < kin_levels; ++level) cell.quorum[level].receive(messages[level], complete);
  const auto outputs = node.template outputs<quorum_layer>();
  for (std::uint32_t i = 0; i < directions; ++i) {
    QuorumMessage message{.stamp = cell.round_trips.stamp(i)};
    for (std::size_t level = 0; level < kin_levels; ++level) {
      message.levels[level] = cell.quorum[level].message_to(i);
      if (!cell.alive) message.levels[level].known = 0;
    }
    outputs[i].try_put(message);  // pooled: never refused
  }
}

template <class Node>
void World::bear(const Node& node, Cell& cell) {
  const auto inputs = node.template inputs<spawn_layer>();
  std::array<bool, directions> arrived{};
  bool any = false;
  for (std::uint32_t i = 0; i < directions; ++i) any |= arrived[i] = inputs[i].fresh();
  if (!any) return;
  const std::size_t winner = contest(cell, arrived, context_);
  if (winner == directions) return;
  if (cell.alive) {
    ++context_.tallies.replaced;
    put(node, die(cell, context_));
  }
  ++context_.tallies.births;
  come_alive(cell, inherit(inputs[static_cast<std::uint32_t>(winner)].get(), context_), winner, context_);
}

template <class Node>
void World::start_cores(const Node& node, Cell& cell, const NeighborStates& neighbors) {
  const auto inputs = node.template inputs<message_layer>();
  for (std::uint32_t i = 0; i < directions; ++i) {
    Cardinal& cardinal = cell.cardinals[i];
    const Events events = events_of(cardinal.state, *neighbors[i], parameters_);
    for (std::size_t event = 0; event < event_count; ++event) {
      if (events[event]) cardinal.cpu.launch(cell.genome.event_tags[event], JumpTable::internal);
    }
    for (const Packet& packet : inputs[i].messages()) {
      cardinal.cpu.launch(packet.tag, JumpTable::exposed, packet.registers);
    }
  }
}

template <class Node>
void World::execute(const Node& node, Cell& cell, const NeighborStates& neighbors) {
  std::array<std::uint8_t, directions> order{0, 1, 2, 3};
  shuffle(std::span<std::uint8_t>(order), context_.random);
  for (const std::uint8_t i : order) {
    Cardinal& cardinal = cell.cardinals[i];
    for (const Packet& packet : cardinal.inbox) {
      cardinal.cpu.launch(packet.tag, JumpTable::internal, packet.registers);
    }
    cardinal.inbox.clear();
    if (cardinal.cpu.running() == 0) continue;
    CardinalPeripheral peripheral(cell, i, *neighbors[i], sent_, {node.index(), i}, parameters_.max_messages);
    context_.tallies.instructions +=
        cardinal.cpu.run(static_cast<int>(parameters_.slices), peripheral, context_.random);
  }
}

template <class Node>
void World::send_states(const Node& node, const Cell& cell) {
  const auto outputs = node.template outputs<state_layer>();
  for (std::uint32_t i = 0; i < directions; ++i) outputs[i].try_put(cell.cardinals[i].state);  // pooled: never refused
}

// A packet that the mesh refuses is lost, and counted by the mesh.
void World::send_messages() {
  const auto nodes = part_.nodes();
  for (const SentPacket& sent : sent_) {
    const auto node = nodes[sent.sender.cell];
    node.template outputs<message_layer>()[sent.sender.direction].try_put(sent.packet);
    cells_[sent.sender.cell].cardinals[sent.sender.direction].messages_sent = 0;
  }
  sent_.clear();
}

Census World::census() const noexcept {
  Census census;
  for (const Cell& cell : cells_) {
    if (!cell.alive) continue;
    ++census.living;
    census.stockpile += cell.stockpile;
    census.program_length += static_cast<double>(cell.program->size());
    for (std::size_t level = 0; level < kin_levels; ++level) census.group_size[level] += cell.group_size(level);
    census.generations += static_cast<double>(cell.genome.descent.births());
  }
  const double scale = census.living == 0 ? 0 : 1 / static_cast<double>(census.living);
  for (double* mean :
       {&census.stockpile, &census.program_length, &census.group_size[0], &census.group_size[1], &census.generations}) {
    *mean *= scale;
  }
  return census;
}

double World::stock() const noexcept {
  double sum = 0;
  for (const Cell& cell : cells_) sum += cell.stockpile;
  return sum;
}

std::uint64_t World::hash() const noexcept {
  Digest digest;
  for (const Cell& cell : cells_) {
    digest.add(std::uint64_t{cell.alive});
    digest.add(cell.stockpile);
    if (!cell.alive) continue;
    for (const Instruction& instruction : cell.program->program()) {
      digest.add(instruction.tag());
      digest.add(std::uint64_t{std::bit_cast<std::uint32_t>(
          std::array{instruction.byte, instruction.arguments[0], instruction.arguments[1], instruction.arguments[2]})});
    }
    for (const Tag tag : cell.genome.event_tags) digest.add(tag);
    for (std::size_t level = 0; level < kin_levels; ++level) {
      digest.add(cell.genome.kin.ids[level]);
      digest.add(cell.quorum[level].known());
    }
    digest.add(cell.genome.descent.lineage);
    for (const Cardinal& cardinal : cell.cardinals) {
      for (const float value : cardinal.state.writable) digest.add(value);
      digest.add(static_cast<std::uint64_t>(cardinal.cpu.running()));
    }
  }
  return digest.value();
}

}  // namespace laxity::evolution
