// What each instruction does: one row an instruction.
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "laxity/random.hpp"
#include "tests/unit/evolution/program_kit.hpp"
#include "workloads/evolution/cpu/virtual_cpu.hpp"

namespace laxity::evolution {
namespace {

// Notes its calls, as text.
struct Recorder {
  std::string calls;
  [[nodiscard]] float read_own_state(Tag tag) noexcept { return note("own", tag, 7); }
  [[nodiscard]] float read_neighbor_state(Tag tag) noexcept { return note("neighbor", tag, 9); }
  void write_own_state(Tag tag, float value) noexcept { note("write", tag, value); }
  void add_to_own_state(Tag tag, float value) noexcept { note("add", tag, value); }
  void multiply_own_state(Tag tag, float value) noexcept { note("multiply", tag, value); }
  void send_to_neighbor(Tag tag, const Registers& registers) { note("send", tag, registers[0]); }
  void send_in_cell(unsigned cardinal, Tag tag, const Registers& registers) {
    note("to " + std::to_string(cardinal), tag, registers[0]);
  }
  void broadcast_in_cell(Tag tag, const Registers& registers) { note("broadcast", tag, registers[0]); }

  float note(const std::string& call, Tag tag, float value) {
    calls += call + (tag == nearly_main_tag ? " tag " : " other tag ") + std::to_string(static_cast<int>(value));
    return value;
  }
};

// Registers a, b, c = 3, -2, 0.5 before. In the program below the instruction is at position 1.
struct Effect {
  Opcode opcode;
  float a = 3;                 ///< after
  std::uint32_t position = 2;  ///< of the next instruction
  bool ends = false;
  float internal = 0;  ///< regulator of the global anchor that matches the tag, in the internal table
  float exposed = 0;
  float local = 0;
  int forks = 0;
  std::string calls = {};

  friend void PrintTo(const Effect& effect, std::ostream* out) { *out << describe(effect.opcode).name; }
};

constexpr float b = -2;
constexpr float c = 0.5;
constexpr Tag constant_tag = nearly_main_tag;  // odd: the inverse of a cube

float bits(std::uint32_t value) { return std::bit_cast<float>(value); }
std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
SeededRandom fresh() { return SeededRandom(1); }

std::vector<Effect> effects() {
  using enum Opcode;
  return {
      {.opcode = fork_if, .forks = 1},
      {.opcode = nop_a},
      {.opcode = nop_b},
      {.opcode = nop_c},
      {.opcode = terminate_if, .ends = true},
      {.opcode = add, .a = -1.5},
      {.opcode = divide, .a = -4},
      {.opcode = modulo, .a = std::fmod(b, c)},
      {.opcode = multiply, .a = -1},
      {.opcode = subtract, .a = -2.5},
      {.opcode = bitwise_and, .a = bits(bits(b) & bits(c))},
      {.opcode = bitwise_not, .a = bits(~bits(b))},
      {.opcode = bitwise_or, .a = bits(bits(b) | bits(c))},
      {.opcode = bitwise_shift, .a = b},  // by 0.5, rounded toward 0
      {.opcode = bitwise_xor, .a = bits(bits(b) ^ bits(c))},
      {.opcode = count_ones, .a = 2},  // -2 is 0xc0000000
      {.opcode = random_fill, .a = bits(static_cast<std::uint32_t>(fresh().bits()))},
      {.opcode = equal, .a = 0},
      {.opcode = greater_than, .a = 0},
      {.opcode = less_than, .a = 1},
      {.opcode = logical_and, .a = 1},
      {.opcode = logical_or, .a = 1},
      {.opcode = not_equal, .a = 1},
      {.opcode = global_anchor},  // the module at 0 has no local anchors before it
      {.opcode = global_jump_if, .position = 5},
      {.opcode = global_jump_if_not},
      {.opcode = global_regulator_adjust, .internal = 3},
      {.opcode = global_regulator_decay},
      {.opcode = global_regulator_get, .a = 0},
      {.opcode = global_regulator_set, .internal = 3},
      {.opcode = local_anchor},
      {.opcode = local_jump_if, .position = 3},
      {.opcode = local_jump_if_not},
      {.opcode = local_regulator_adjust, .local = 3},
      {.opcode = local_regulator_decay},
      {.opcode = local_regulator_get, .a = 0},
      {.opcode = local_regulator_set, .local = 3},
      {.opcode = decrement, .a = 2},
      {.opcode = increment, .a = 4},
      {.opcode = negate, .a = -3},
      {.opcode = logical_not, .a = 0},
      {.opcode = random_bool, .a = fresh().unit() < 2. / 3 ? 1.F : 0.F},  // the tag is 2/3 of the largest
      {.opcode = random_draw, .a = constant_of_tag(fresh().bits())},
      {.opcode = load_constant, .a = constant_of_tag(constant_tag)},
      {.opcode = exposed_regulator_adjust, .exposed = 3},
      {.opcode = exposed_regulator_decay},
      {.opcode = exposed_regulator_get, .a = 0},
      {.opcode = exposed_regulator_set, .exposed = 3},
      {.opcode = add_to_own_state, .calls = "add tag 3"},
      {.opcode = broadcast_in_cell_if, .calls = "broadcast tag 3"},
      {.opcode = multiply_own_state, .calls = "multiply tag 3"},
      {.opcode = read_neighbor_state, .a = 9, .calls = "neighbor tag 9"},
      {.opcode = read_own_state, .a = 7, .calls = "own tag 7"},
      {.opcode = send_to_neighbor_if, .calls = "send tag 3"},
      {.opcode = send_in_cell_if, .calls = "to 9 tag 3"},
      {.opcode = write_own_state_if, .calls = "write tag 3"},
  };
}

// The module at 0 contains the instruction and a local anchor; the module at 5 is the target of global matches.
VirtualCpu cpu_before(Opcode opcode, Registers registers) {
  VirtualCpu cpu = stepping_cpu({global_anchor(other_tag), Instruction::of(opcode, {2, 3, 4}, nearly_main_tag), nop(),
                                 local_anchor(main_tag), nop(), global_anchor(main_tag, 2), nop()});
  EXPECT_TRUE(cpu.launch_at(0, registers));
  return cpu;
}

class Instructions : public testing::TestWithParam<Effect> {};

TEST_P(Instructions, HaveTheirEffect) {
  const Effect& effect = GetParam();
  // A global anchor more has the indices shifted.
  const bool is_anchor = effect.opcode == Opcode::global_anchor;
  VirtualCpu cpu = cpu_before(effect.opcode, {3, 0, 3, b, c});
  Recorder recorder;
  SeededRandom random = fresh();
  ASSERT_EQ(cpu.run(2, recorder, random), 2U);

  ASSERT_EQ(cpu.running(), effect.ends ? 0 : 1);
  if (!is_anchor) {
    EXPECT_EQ(cpu.regulator(JumpTable::internal, 1).state(), effect.internal);
    EXPECT_EQ(cpu.regulator(JumpTable::exposed, 0).state(), effect.exposed);
  }
  EXPECT_EQ(recorder.calls, effect.calls);
  if (effect.ends) return;
  const VirtualCpu::Core& core = cpu.core(0);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(core.registers[2]), std::bit_cast<std::uint32_t>(effect.a))
      << core.registers[2];
  EXPECT_EQ(core.position, effect.position);
  EXPECT_EQ(core.fork_count, effect.forks);
  EXPECT_EQ(core.regulators.get(0).state(), effect.local);
  EXPECT_EQ(core.registers[3], b);
  EXPECT_EQ(core.registers[4], c);
}

INSTANTIATE_TEST_SUITE_P(All, Instructions, testing::ValuesIn(effects()));

TEST(Instructions, AllHaveARow) {
  std::set<Opcode> rows;
  for (const Effect& effect : effects()) rows.insert(effect.opcode);
  EXPECT_EQ(rows.size(), opcode_count);
}

// Those that ask "if a" do nothing when a is 0, and the others the opposite.
TEST(ConditionalInstructions, DoNothingWhenTheConditionFails) {
  using enum Opcode;
  for (const Opcode opcode : {fork_if, terminate_if, global_jump_if, local_jump_if, broadcast_in_cell_if,
                              send_to_neighbor_if, send_in_cell_if, write_own_state_if}) {
    VirtualCpu cpu = cpu_before(opcode, {});
    Recorder recorder;
    SeededRandom random = fresh();
    cpu.run(2, recorder, random);
    ASSERT_EQ(cpu.running(), 1) << describe(opcode).name;
    EXPECT_EQ(cpu.core(0).position, 2U) << describe(opcode).name;
    EXPECT_EQ(cpu.core(0).fork_count, 0) << describe(opcode).name;
    EXPECT_EQ(recorder.calls, "") << describe(opcode).name;
  }
  VirtualCpu local = cpu_before(local_jump_if_not, {});
  execute(local, 2);
  EXPECT_EQ(local.core(0).position, 3U);
  VirtualCpu global = cpu_before(global_jump_if_not, {});
  execute(global, 2);
  EXPECT_EQ(global.core(0).position, 5U);
}

TEST(BitwiseShift, MovesLeftRightAndOut) {
  const auto shifted = [](float by) {
    VirtualCpu cpu = stepping_cpu({Instruction::of(Opcode::bitwise_shift, {0, 1, 2})});
    cpu.launch_at(0, {0, bits(0x80000001U), by});
    execute(cpu, 1);
    return bits(cpu.core(0).registers[0]);
  };
  EXPECT_EQ(shifted(1), 2U);
  EXPECT_EQ(shifted(-1), 0x40000000U);
  EXPECT_EQ(shifted(31), 0x80000000U);
  EXPECT_EQ(shifted(32), 0U);
  EXPECT_EQ(shifted(-1e30F), 0U);
  EXPECT_EQ(shifted(std::numeric_limits<float>::infinity()), 0U);
  EXPECT_EQ(shifted(std::numeric_limits<float>::quiet_NaN()), 0x80000001U);
}

TEST(Arithmetic, DividesByZeroAsIeee754Says) {
  VirtualCpu cpu =
      stepping_cpu({Instruction::of(Opcode::divide, {0, 1, 2}), Instruction::of(Opcode::modulo, {3, 1, 2})});
  cpu.launch_at(0, {0, 1, 0});
  execute(cpu, 2);
  EXPECT_EQ(cpu.core(0).registers[0], std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(cpu.core(0).registers[3]));
}

}  // namespace
}  // namespace laxity::evolution
