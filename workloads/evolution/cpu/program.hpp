// A program as the virtual CPU executes it: decoded once, shared by all cells that carry the same genome.
//
// A module is what follows a global anchor, up to the next one; the program is circular. Its local anchors are the
// targets of local jumps.
//
// Invariants: constant after construction; the last step wraps around to the first.
// Threads: any number may read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "workloads/evolution/cpu/instruction.hpp"

namespace laxity::evolution {

using Program = std::vector<Instruction>;

inline constexpr std::size_t max_program_length = 65535;  ///< instructions

/// An anchor: its tag and its position in the program.
struct Anchor {
  Tag tag;
  std::uint32_t position;
};

/// Which global anchors a tag may match: all, or those whose first argument is even. Neighbors' messages see the
/// latter.
enum class JumpTable : std::uint8_t { internal, exposed };
inline constexpr std::size_t jump_table_count = 2;

class LoadedProgram {
 public:
  /// One decoded instruction. Opcodes from `wrap_step` on are not instructions.
  struct Step {
    std::uint8_t opcode;
    std::uint8_t a;
    std::uint8_t b, c;  ///< registers; of load_constant and global_anchor the bytes of a number

    /// Of load_constant: that of the constant; of global_anchor: that of the module that it begins.
    [[nodiscard]] int number() const noexcept { return b | c << 8; }
  };
  static_assert(sizeof(Step) == 4, "programs of thousands of cells should fit into the caches");
  static constexpr std::uint8_t wrap_step =
      opcode_count;  ///< goes to the first step, without taking an instruction's time

  /// Throws UsageError if the program is longer than max_program_length.
  explicit LoadedProgram(Program program);

  [[nodiscard]] const Program& program() const noexcept { return program_; }
  [[nodiscard]] std::size_t size() const noexcept { return program_.size(); }
  [[nodiscard]] const Step* steps() const noexcept { return steps_.data(); }
  [[nodiscard]] float constant(Step load_constant) const noexcept {
    return constants_[static_cast<std::size_t>(load_constant.number())];
  }
  [[nodiscard]] Tag tag(std::size_t position) const noexcept { return program_[position].tag(); }

  /// The global anchors of a jump table, in the order of the program.
  [[nodiscard]] std::span<const Anchor> global_anchors(JumpTable table) const noexcept {
    return global_anchors_[static_cast<std::size_t>(table)];
  }
  /// The local anchors of a module, in the order of execution.
  [[nodiscard]] std::span<const Anchor> local_anchors(std::size_t module) const noexcept {
    return std::span(local_anchors_)
        .subspan(module_starts_[module], module_starts_[module + 1] - module_starts_[module]);
  }

 private:
  void find_anchors();

  Program program_;
  std::vector<Step> steps_;
  std::vector<float> constants_;
  std::vector<Anchor> global_anchors_[jump_table_count];
  std::vector<Anchor> local_anchors_;       // of all modules, one after the other
  std::vector<std::size_t> module_starts_;  // in local_anchors_; one more than modules
};

}  // namespace laxity::evolution
