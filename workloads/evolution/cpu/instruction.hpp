// The instructions of the virtual CPU: 44 of general use and 12 that speak to the world around a cell.
//
// Source: the instruction sets of SignalGP-Lite (Moreno, Rodriguez Papa and Ofria, arXiv 2108.00382) and of DISHTINY (Moreno
// and Ofria, Artificial Life 25, 2019), with the prevalence of each.
// Invariants: every byte is a valid opcode and every argument is valid, so any mutation of a program is a program.
// Threads: constants.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "workloads/evolution/cpu/tag.hpp"

namespace laxity::evolution {

inline constexpr std::size_t register_count = 8;  ///< registers of a core; arguments are taken modulo this

enum class Opcode : std::uint8_t {
  fork_if,
  nop_a,
  nop_b,
  nop_c,
  terminate_if,
  add,
  divide,
  modulo,
  multiply,
  subtract,
  bitwise_and,
  bitwise_not,
  bitwise_or,
  bitwise_shift,
  bitwise_xor,
  count_ones,
  random_fill,
  equal,
  greater_than,
  less_than,
  logical_and,
  logical_or,
  not_equal,
  global_anchor,
  global_jump_if,
  global_jump_if_not,
  global_regulator_adjust,
  global_regulator_decay,
  global_regulator_get,
  global_regulator_set,
  local_anchor,
  local_jump_if,
  local_jump_if_not,
  local_regulator_adjust,
  local_regulator_decay,
  local_regulator_get,
  local_regulator_set,
  decrement,
  increment,
  negate,
  logical_not,
  random_bool,
  random_draw,
  load_constant,
  // The world around a cell.
  exposed_regulator_adjust,
  exposed_regulator_decay,
  exposed_regulator_get,
  exposed_regulator_set,
  add_to_own_state,
  broadcast_in_cell_if,
  multiply_own_state,
  read_neighbor_state,
  read_own_state,
  send_to_neighbor_if,
  send_in_cell_if,
  write_own_state_if,
};

inline constexpr std::size_t opcode_count = 56;

struct OpcodeDescription {
  std::string_view name;    ///< as in a listing: "Add"
  int arguments;            ///< registers that it uses: a, b, c
  bool uses_tag;            ///< also for a constant
  int prevalence;           ///< weight in the table of bytes
  std::string_view effect;  ///< in terms of the registers a, b, c and the tag
};

[[nodiscard]] const OpcodeDescription& describe(Opcode opcode) noexcept;

/// The opcode that a byte of a program stands for. All 56 opcodes occur, each about as often as its prevalence says.
[[nodiscard]] Opcode opcode_of_byte(std::uint8_t byte) noexcept;

/// The first byte that stands for an opcode.
[[nodiscard]] std::uint8_t byte_of_opcode(Opcode opcode) noexcept;

/// The opcode of this name, or nothing.
[[nodiscard]] std::optional<Opcode> opcode_of_name(std::string_view name) noexcept;

/// One instruction of a genome, 12 bytes.
struct Instruction {
  std::uint8_t byte = 0;                         ///< stands for an opcode
  std::array<std::uint8_t, 3> arguments = {};    ///< registers, modulo 8
  std::array<std::uint32_t, 2> tag_halves = {};  ///< low, high: 12 bytes need an alignment of 4

  [[nodiscard]] static Instruction of(Opcode opcode, std::array<std::uint8_t, 3> arguments = {}, Tag tag = 0) noexcept {
    return {
        byte_of_opcode(opcode), arguments, {static_cast<std::uint32_t>(tag), static_cast<std::uint32_t>(tag >> 32)}};
  }
  [[nodiscard]] Opcode opcode() const noexcept { return opcode_of_byte(byte); }
  [[nodiscard]] Tag tag() const noexcept { return Tag{tag_halves[1]} << 32 | tag_halves[0]; }
  [[nodiscard]] std::size_t argument(std::size_t which) const noexcept { return arguments[which] % register_count; }
  friend bool operator==(const Instruction&, const Instruction&) = default;
};
static_assert(sizeof(Instruction) == 12);

/// The number that a tag stands for: in [-1, 1] if the tag is even, else the inverse of the cube of such a number.
[[nodiscard]] float constant_of_tag(Tag tag) noexcept;

}  // namespace laxity::evolution
