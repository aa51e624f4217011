// The state of a world between two updates (World::serialize).
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "workloads/evolution/world/world.hpp"

namespace laxity::evolution {

void World::serialize(Archive& archive) {
  part_.serialize_inside(archive);
  archive.value(context_.random);
  archive.value(context_.account);
  archive.value(context_.tallies);
  context_.births.serialize(archive);
  archive.value(context_.update);
  archive.values(std::span(order_));
  archive.resizable(sent_);
  serialize_programs(archive);
  for (Cell& cell : cells_) cell.serialize(archive);
}

// Each program once, and for each cell which one it has: cells of one genome share theirs.
void World::serialize_programs(Archive& archive) {
  std::vector<std::shared_ptr<const LoadedProgram>> programs;
  std::vector<std::uint32_t> program_of_cell(cells_.size());
  if (!archive.reads()) {
    std::unordered_map<const LoadedProgram*, std::uint32_t> numbers;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const auto number = static_cast<std::uint32_t>(programs.size());
      const auto [known, is_new] = numbers.emplace(cells_[i].program.get(), number);
      if (is_new) programs.push_back(cells_[i].program);
      program_of_cell[i] = known->second;
    }
  }
  programs.resize(archive.count(programs.size()));
  for (auto& program : programs) {
    Program instructions = archive.reads() ? Program{} : program->program();
    archive.resizable(instructions);
    if (archive.reads()) program = std::make_shared<const LoadedProgram>(std::move(instructions));
  }
  archive.values(std::span(program_of_cell));
  if (!archive.reads()) return;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    cells_[i].program = programs[program_of_cell[i]];
    for (Cardinal& cardinal : cells_[i].cardinals) cardinal.cpu.load(cells_[i].program);
  }
}

}  // namespace laxity::evolution
