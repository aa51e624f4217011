// What the tests of the virtual CPU share: programs of a few instructions, executed one by one.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>

#include "laxity/random.hpp"
#include "workloads/evolution/cpu/virtual_cpu.hpp"

namespace laxity::evolution {

inline constexpr Tag main_tag = 0xaaaaaaaaaaaaaaaa;   ///< distance to other_tag: 0.5 both ways in single bits
inline constexpr Tag nearly_main_tag = main_tag ^ 1;  ///< matches main_tag closely, but is not equal
inline constexpr Tag other_tag = ~main_tag;           ///< matches main_tag under no limit

[[nodiscard]] inline Instruction global_anchor(Tag tag, std::uint8_t argument = 1) {
  return Instruction::of(Opcode::global_anchor, {argument, 0, 0}, tag);
}
[[nodiscard]] inline Instruction local_anchor(Tag tag) { return Instruction::of(Opcode::local_anchor, {}, tag); }
[[nodiscard]] inline Instruction nop() { return Instruction::of(Opcode::nop_a); }

/// A CPU whose slices are single instructions, so that run(n) executes n of them.
[[nodiscard]] inline VirtualCpu stepping_cpu(const Program& program, int cores = 4) {
  VirtualCpu cpu({.cores = cores, .slice_length = 1});
  cpu.load(std::make_shared<const LoadedProgram>(program));
  return cpu;
}

inline std::uint64_t execute(VirtualCpu& cpu, int instructions) {
  NoPeripheral alone;
  SeededRandom random(1);
  return cpu.run(instructions, alone, random);
}

}  // namespace laxity::evolution
