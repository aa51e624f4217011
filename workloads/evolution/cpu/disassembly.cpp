#include "workloads/evolution/cpu/disassembly.hpp"

#include <cstddef>
#include <cstdio>

namespace laxity::evolution {

std::string text_of_tag(Tag tag) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(tag));
  return digits;
}

std::string disassemble(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  const OpcodeDescription& description = describe(opcode);
  std::string text(description.name);
  // What an anchor's first argument says is whether messages of neighbors see it.
  if (opcode == Opcode::global_anchor)
    return text + (instruction.argument(0) % 2 == 0 ? " exposed " : " ") + text_of_tag(instruction.tag());
  for (std::size_t i = 0; i < static_cast<std::size_t>(description.arguments); ++i) {
    text += " r" + std::to_string(instruction.argument(i));
  }
  if (opcode == Opcode::load_constant) {
    char value[32];
    std::snprintf(value, sizeof value, " = %.6g", static_cast<double>(constant_of_tag(instruction.tag())));
    return text + value;
  }
  return description.uses_tag ? text + " " + text_of_tag(instruction.tag()) : text;
}

}  // namespace laxity::evolution
