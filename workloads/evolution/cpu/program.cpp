#include "workloads/evolution/cpu/program.hpp"

#include <string>
#include <utility>

#include "laxity/error.hpp"

namespace laxity::evolution {

LoadedProgram::LoadedProgram(Program program) : program_(std::move(program)) {
  if (program_.size() > max_program_length) {
    throw UsageError("a program of " + std::to_string(program_.size()) + " instructions is longer than " +
                     std::to_string(max_program_length));
  }
  steps_.reserve(program_.size() + 1);
  int modules = 0;
  for (const Instruction& instruction : program_) {
    const auto argument = [&](std::size_t which) { return static_cast<std::uint8_t>(instruction.argument(which)); };
    const Opcode opcode = instruction.opcode();
    Step step{static_cast<std::uint8_t>(opcode), argument(0), argument(1), argument(2)};
    const auto set_number = [&](auto number) {
      step.b = static_cast<std::uint8_t>(number);
      step.c = static_cast<std::uint8_t>(number >> 8);
    };
    if (opcode == Opcode::global_anchor) set_number(modules++);
    if (opcode == Opcode::load_constant) {
      set_number(constants_.size());
      constants_.push_back(constant_of_tag(instruction.tag()));
    }
    steps_.push_back(step);
  }
  steps_.push_back({wrap_step, 0, 0, 0});
  find_anchors();
  constants_.shrink_to_fit();
  for (auto& anchors : global_anchors_) anchors.shrink_to_fit();
  local_anchors_.shrink_to_fit();
  module_starts_.shrink_to_fit();
}

void LoadedProgram::find_anchors() {
  for (std::uint32_t position = 0; position < program_.size(); ++position) {
    const Instruction& instruction = program_[position];
    if (instruction.opcode() != Opcode::global_anchor) continue;
    global_anchors_[0].push_back({instruction.tag(), position});
    if (instruction.argument(0) % 2 == 0) global_anchors_[1].push_back({instruction.tag(), position});
  }
  for (const Anchor& global : global_anchors_[0]) {
    module_starts_.push_back(local_anchors_.size());
    for (std::size_t ahead = 1; ahead < program_.size(); ++ahead) {
      const std::size_t position = (global.position + ahead) % program_.size();
      const Opcode opcode = program_[position].opcode();
      if (opcode == Opcode::global_anchor) break;
      if (opcode == Opcode::local_anchor) {
        local_anchors_.push_back({program_[position].tag(), static_cast<std::uint32_t>(position)});
      }
    }
  }
  module_starts_.push_back(local_anchors_.size());
}

}  // namespace laxity::evolution
