#include "apps/laxity/evolve/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "workloads/evolution/cpu/disassembly.hpp"
#include "workloads/evolution/cpu/regulators.hpp"
#include "workloads/evolution/genome/genome_file.hpp"

namespace laxity::cli {
namespace {

using namespace evolution;

int match(std::span<const Anchor> anchors, Tag tag, float limit) {
  return nearest_anchor(anchors, tag, limit, [](std::size_t) { return 0.F; });
}

bool jumps_globally(Opcode opcode) {
  return opcode == Opcode::global_jump_if || opcode == Opcode::global_jump_if_not || opcode == Opcode::fork_if;
}

// What starts each module, without regulators: events, jumps and forks by position.
std::vector<std::string> starts_of_modules(const Genome& genome, const LoadedProgram& loaded) {
  const auto anchors = loaded.global_anchors(JumpTable::internal);
  std::vector<std::string> starts(anchors.size());
  const auto add = [&](Tag tag, const std::string& what) {
    const int module = match(anchors, tag, global_match_limit);
    if (module < 0) return;
    std::string& text = starts[static_cast<std::size_t>(module)];
    text += (text.empty() ? "" : ", ") + what;
  };
  for (std::size_t event = 0; event < event_count; ++event) {
    add(genome.event_tags[event], std::string(name_of(static_cast<Event>(event))));
  }
  for (std::size_t position = 0; position < genome.program.size(); ++position) {
    const Instruction& instruction = genome.program[position];
    if (jumps_globally(instruction.opcode())) {
      add(instruction.tag(), fmt::format("{} at {}", describe(instruction.opcode()).name, position));
    }
  }
  return starts;
}

// Where an instruction of a module leads to, without regulators.
std::string target_of(const Instruction& instruction, const LoadedProgram& loaded, std::size_t module) {
  const Opcode opcode = instruction.opcode();
  const bool global = jumps_globally(opcode);
  if (!global && opcode != Opcode::local_jump_if && opcode != Opcode::local_jump_if_not) return "";
  const auto anchors = global ? loaded.global_anchors(JumpTable::internal) : loaded.local_anchors(module);
  const int anchor = match(anchors, instruction.tag(), global ? global_match_limit : local_match_limit);
  return anchor < 0 ? "  -> nothing matches"
                    : fmt::format("  -> {}", anchors[static_cast<std::size_t>(anchor)].position);
}

}  // namespace

void print_modules(const Genome& genome) {
  const LoadedProgram loaded(genome.program);
  const auto anchors = loaded.global_anchors(JumpTable::internal);
  const auto& generations = genome.descent.generations;
  fmt::print("{} instructions, {} modules, {} of them exposed to messages of neighbors\n", genome.program.size(),
             anchors.size(), loaded.global_anchors(JumpTable::exposed).size());
  fmt::print("lineage {}, generations {} + {} + {}, insertions {}, deletions {}, bit flips {}\n",
             text_of_tag(genome.descent.lineage), generations[0], generations[1], generations[2],
             genome.descent.insertions, genome.descent.deletions, genome.descent.bit_flips);
  if (anchors.empty()) fmt::print("\nno module: nothing starts this program\n");
  const std::vector<std::string> starts = starts_of_modules(genome, loaded);
  for (std::size_t module = 0; module < anchors.size(); ++module) {
    const std::size_t next = module + 1 < anchors.size() ? anchors[module + 1].position : genome.program.size();
    fmt::print("\nmodule {}, started by: {}\n", module, starts[module].empty() ? "nothing" : starts[module]);
    for (std::size_t position = anchors[module].position; position < next; ++position) {
      const Instruction& instruction = genome.program[position];
      fmt::print("{:6}  {}{}\n", position, disassemble(instruction), target_of(instruction, loaded, module));
    }
  }
}

void TracePrinter::executed(int core, std::size_t position, const Registers& registers, bool ended) {
  const Instruction& instruction = program_[position];
  std::string values;
  for (std::size_t i = 0; i < static_cast<std::size_t>(describe(instruction.opcode()).arguments); ++i) {
    const std::size_t which = instruction.argument(i);
    values += fmt::format("  r{} = {:.6g}", which, registers[which]);
  }
  const std::string effects = values + sent_ + (ended ? "  ends" : "");
  fmt::print("core {:2}  {:6}  {:{}}{}\n", core, position, disassemble(instruction), effects.empty() ? 0 : 44, effects);
  sent_.clear();
}

void TracePrinter::send_to_neighbor(Tag tag, const Registers&) {
  sent_ = fmt::format("  message {} to the neighbor", text_of_tag(tag));
}

void TracePrinter::send_in_cell(unsigned cardinal, Tag tag, const Registers&) {
  sent_ = fmt::format("  message {} to cardinal {}", text_of_tag(tag), cardinal);
}

void TracePrinter::broadcast_in_cell(Tag tag, const Registers&) {
  sent_ = fmt::format("  message {} to all cardinals", text_of_tag(tag));
}

}  // namespace laxity::cli
