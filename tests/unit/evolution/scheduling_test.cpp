#include <cstdint>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "laxity/error.hpp"
#include "tests/unit/evolution/program_kit.hpp"
#include "workloads/evolution/cpu/virtual_cpu.hpp"

namespace laxity::evolution {
namespace {

TEST(Scheduling, CoresTakeTurnsOfASlice) {
  VirtualCpu cpu({.cores = 3, .slice_length = 8});
  cpu.load(std::make_shared<const LoadedProgram>(Program(100, nop())));
  for (const std::uint32_t start : {0U, 20U, 40U}) EXPECT_TRUE(cpu.launch_at(start));
  EXPECT_FALSE(cpu.launch_at(60)) << "no core is free";
  EXPECT_EQ(execute(cpu, 4), 32U);
  EXPECT_EQ(cpu.core(0).position, 16U);
  EXPECT_EQ(cpu.core(1).position, 28U);
  EXPECT_EQ(cpu.core(2).position, 48U);
  EXPECT_EQ(execute(cpu, 1), 8U);
  EXPECT_EQ(cpu.core(1).position, 36U) << "the turn is kept between calls";
}

TEST(Scheduling, ProgramsAreCircular) {
  VirtualCpu cpu = stepping_cpu(Program(3, nop()));
  cpu.launch_at(2);
  EXPECT_EQ(execute(cpu, 7), 7U);
  execute(cpu, 1);
  EXPECT_EQ(cpu.core(0).position % 3, 1U);
}

TEST(Scheduling, AnEmptyProgramStartsNothing) {
  VirtualCpu cpu;
  EXPECT_FALSE(cpu.launch(main_tag, JumpTable::internal));
  EXPECT_FALSE(cpu.launch_at(0));
  EXPECT_EQ(execute(cpu, 10), 0U);
}

TEST(Scheduling, AModuleWithLocalAnchorsEndsAtTheNextGlobalAnchorAndOneWithoutDoesNot) {
  VirtualCpu with = stepping_cpu({global_anchor(main_tag), local_anchor(main_tag), global_anchor(other_tag), nop()});
  with.launch(main_tag, JumpTable::internal);
  EXPECT_EQ(execute(with, 10), 3U);
  EXPECT_EQ(with.running(), 0);

  VirtualCpu without = stepping_cpu({global_anchor(main_tag), nop(), global_anchor(other_tag), local_anchor(main_tag)});
  without.launch(main_tag, JumpTable::internal);
  EXPECT_EQ(execute(without, 3), 3U);
  ASSERT_EQ(without.running(), 1);
  EXPECT_EQ(without.core(0).module, 1);
}

TEST(Scheduling, LocalJumpsSeeOnlyTheirModule) {
  VirtualCpu cpu = stepping_cpu({global_anchor(main_tag), Instruction::of(Opcode::local_jump_if_not, {}, main_tag),
                                 local_anchor(other_tag), global_anchor(other_tag), local_anchor(main_tag)});
  cpu.launch(main_tag, JumpTable::internal);
  execute(cpu, 2);
  EXPECT_EQ(cpu.core(0).position, 2U);
}

TEST(Scheduling, AGlobalJumpWithoutAMatchEndsTheCore) {
  VirtualCpu cpu = stepping_cpu({Instruction::of(Opcode::global_jump_if_not, {}, main_tag), global_anchor(other_tag)});
  cpu.launch_at(0);
  execute(cpu, 1);
  EXPECT_EQ(cpu.running(), 0);
}

TEST(Scheduling, MessagesOfNeighborsStartAnchorsWithEvenFirstArgumentOnly) {
  for (std::uint8_t argument = 0; argument < 4; ++argument) {
    VirtualCpu cpu = stepping_cpu({global_anchor(main_tag, argument), nop()});
    EXPECT_EQ(cpu.launch(main_tag, JumpTable::exposed), argument % 2 == 0);
    EXPECT_TRUE(cpu.launch(main_tag, JumpTable::internal));
  }
}

TEST(Forks, StartWhenTheAskingCoreEndsWithoutItsRegistersAtMostThree) {
  Program program{global_anchor(main_tag), nop()};
  for (int i = 0; i < 5; ++i) program.push_back(Instruction::of(Opcode::fork_if, {}, main_tag));
  program.push_back(Instruction::of(Opcode::terminate_if));
  VirtualCpu cpu = stepping_cpu(program, 8);
  cpu.launch_at(2, {1});
  execute(cpu, 5);
  EXPECT_EQ(cpu.running(), 1) << "requests wait";
  execute(cpu, 1);
  ASSERT_EQ(cpu.running(), 3);
  for (int core = 0; core < 3; ++core) {
    EXPECT_EQ(cpu.core(core).position, 0U);
    EXPECT_EQ(cpu.core(core).registers, Registers{});
  }
}

TEST(Forks, AreLostWithoutAFreeCoreOrAMatch) {
  Program program{global_anchor(main_tag), nop()};
  for (const Tag tag : {main_tag, other_tag, main_tag}) program.push_back(Instruction::of(Opcode::fork_if, {}, tag));
  program.push_back(Instruction::of(Opcode::terminate_if));
  VirtualCpu cpu = stepping_cpu(program, 1);
  cpu.launch_at(2, {1});
  execute(cpu, 4);
  EXPECT_EQ(cpu.running(), 1) << "the place of the core that ended is free";
  EXPECT_EQ(cpu.idle(), 0);
}

TEST(Cpu, LoadingAProgramEndsAllCores) {
  VirtualCpu cpu = stepping_cpu(Program(10, nop()));
  cpu.launch_at(0);
  cpu.load(std::make_shared<const LoadedProgram>(Program(5, nop())));
  EXPECT_EQ(cpu.running(), 0);
  EXPECT_EQ(cpu.idle(), 4);
  EXPECT_FALSE(cpu.launch_at(5));
}

TEST(Cpu, RefusesLimitsOutOfRange) {
  EXPECT_THROW(VirtualCpu({.cores = 0}), UsageError);
  EXPECT_THROW(VirtualCpu({.cores = 256}), UsageError);
  EXPECT_THROW(VirtualCpu({.slice_length = 0}), UsageError);
  EXPECT_THROW(LoadedProgram(Program(max_program_length + 1)), UsageError);
}

// Any bytes are a program, whatever its instructions do.
TEST(Cpu, ExecutesRandomBytes) {
  SeededRandom random(4);
  NoPeripheral alone;
  std::uint64_t executed = 0;
  for (int i = 0; i < 300; ++i) {
    Program program(random.below(200));
    for (Instruction& instruction : program) {
      instruction.byte = static_cast<std::uint8_t>(random.bits());
      for (auto& argument : instruction.arguments) argument = static_cast<std::uint8_t>(random.bits());
      for (auto& half : instruction.tag_halves) half = static_cast<std::uint32_t>(random.bits());
    }
    VirtualCpu cpu;
    cpu.load(std::make_shared<const LoadedProgram>(program));
    for (int update = 0; update < 50; ++update) {
      cpu.launch(random.bits(), update % 2 == 0 ? JumpTable::internal : JumpTable::exposed);
      executed += cpu.run(16, alone, random);
      if (update % 8 == 0) cpu.decay_regulators();
      ASSERT_EQ(cpu.running() + cpu.idle(), 16);
    }
  }
  EXPECT_GT(executed, 10'000U);
}

}  // namespace
}  // namespace laxity::evolution
