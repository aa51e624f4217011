// Worlds of several workers in one thread and in virtual time, with faults of chosen layers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "laxity/mesh/impaired_connector.hpp"
#include "laxity/mesh/partitions/partition.hpp"
#include "laxity/mesh/replay.hpp"
#include "workloads/evolution/world/world.hpp"

namespace laxity::evolution {

inline Parameters small_world() {
  Parameters parameters;
  parameters.cells_per_worker = 36;
  parameters.cpu.cores = 4;
  return parameters;
}

/// Ancestors of cells that, in every direction, send offspring and half of their resource, and name an heir. Each has a tail of
/// its own, which is not reached.
inline std::vector<Genome> reproducing_ancestors() {
  constexpr Tag half = 0xc000'0000'0000'0000U;
  const auto write = [](Control control) {
    return Instruction::of(Opcode::write_own_state_if, {0, 0, 0}, static_cast<Tag>(control));
  };
  Genome genome;
  genome.program = {Instruction::of(Opcode::global_anchor),
                    Instruction::of(Opcode::load_constant, {0, 0, 0}, half),
                    write(Control::spawn),
                    write(Control::send_fraction),
                    write(Control::heir),
                    Instruction::of(Opcode::terminate_if)};
  std::vector<Genome> ancestors(8, genome);
  SeededRandom random(1);
  for (Genome& ancestor : ancestors) {
    for (int i = 0; i < 20; ++i) {
      Instruction instruction = random_instruction(random);
      instruction.byte = byte_of_opcode(Opcode::nop_a);
      ancestor.program.push_back(instruction);
    }
    for (Tag& tag : ancestor.event_tags) tag = random.bits();
    ancestor.event_tags[static_cast<std::size_t>(Event::always)] = 0;  // the tag of the only anchor
  }
  return ancestors;
}

class ReplayedWorld {
 public:
  /// `loss` is the probability that a frame of a layer other than that of resource is lost. Resource cannot be lost after it
  /// is accepted: it is refused, and delayed by `faults`.
  ReplayedWorld(const Parameters& parameters, std::uint32_t workers, std::uint64_t seed, double loss = 0,
                const Faults& faults = {}, bool record_births = false)
      : topology_(world_topology(parameters, workers)),
        partition_(partitions::blocks(topology_, workers)),
        mesh_(topology_, partition_, layer_options(parameters)),
        run_({.workers = workers, .seed = seed, .period_ns = period_ns, .faults = faults}) {
    for (std::uint32_t worker = 0; worker < workers; ++worker) {
      connectors_.push_back(std::make_unique<ImpairedConnector>(
          run_.connector(worker), Faults{.loss = loss}, seed,
          [loss](const LinkKey& key) { return loss > 0 && key.layer != resource_layer; }));
      worlds_.push_back(std::make_unique<World>(mesh_, *connectors_.back(), parameters, seed, reproducing_ancestors(),
                                                record_births ? BirthRecord(worker, workers) : BirthRecord()));
    }
  }

  /// Until each worker has made about `updates` more updates.
  void run(std::int64_t updates) {
    until_ns_ += updates * period_ns;
    run_.run_until(until_ns_, [this](std::uint32_t worker) { worlds_[worker]->update(); });
  }

  [[nodiscard]] const Partition& partition() const { return partition_; }
  [[nodiscard]] World& operator[](std::size_t worker) { return *worlds_[worker]; }
  [[nodiscard]] const std::vector<std::unique_ptr<World>>& workers() const { return worlds_; }
  [[nodiscard]] std::vector<std::uint64_t> hashes() const {
    std::vector<std::uint64_t> all;
    for (const auto& world : worlds_) all.push_back(world->hash());
    return all;
  }

 private:
  static constexpr std::int64_t period_ns = 1000;
  Topology topology_;
  Partition partition_;
  EvolutionMesh mesh_;
  ReplayedRun run_;
  std::int64_t until_ns_ = 0;
  std::vector<std::unique_ptr<ImpairedConnector>> connectors_;
  std::vector<std::unique_ptr<World>> worlds_;
};

}  // namespace laxity::evolution
