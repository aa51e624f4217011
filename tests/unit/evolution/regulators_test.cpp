#include "workloads/evolution/cpu/regulators.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "gtest/gtest.h"
#include "laxity/random.hpp"
#include "tests/unit/evolution/program_kit.hpp"

namespace laxity::evolution {
namespace {

TEST(Regulator, FallsBackToZeroAfterTwoDecays) {
  Regulator regulator;
  regulator.set(3);
  regulator.decay(1);
  EXPECT_EQ(regulator.state(), 3);
  regulator.decay(1);
  EXPECT_EQ(regulator.state(), 0);
  EXPECT_FALSE(regulator.active());
}

TEST(Regulator, SettingItAgainStartsTheCountdownAnew) {
  Regulator regulator;
  regulator.set(3);
  regulator.decay(1);
  regulator.adjust(1);
  regulator.decay(1);
  EXPECT_EQ(regulator.state(), 4);
}

TEST(Regulator, NegativeDecayPutsItOff) {
  Regulator regulator;
  regulator.set(3);
  regulator.decay(-2);
  for (int i = 0; i < 3; ++i) regulator.decay(1);
  EXPECT_EQ(regulator.state(), 3);
  regulator.decay(1);
  EXPECT_EQ(regulator.state(), 0);
  regulator.set(3);
  regulator.decay(-std::numeric_limits<float>::infinity());
  for (int i = 0; i < 127; ++i) regulator.decay(1);
  EXPECT_FALSE(regulator.active());
}

TEST(Regulator, FavorsByAtMostAQuarterAndDisfavorsWithoutLimit) {
  const auto offset = [](float state) {
    Regulator regulator;
    regulator.set(state);
    return regulator.offset();
  };
  EXPECT_FLOAT_EQ(offset(-1), -0.1F);
  EXPECT_FLOAT_EQ(offset(-100), -0.25F);
  EXPECT_FLOAT_EQ(offset(100), 10);
  EXPECT_EQ(offset(std::numeric_limits<float>::quiet_NaN()), 0);
}

TEST(NearestAnchor, IsTheFirstOfEqualsAndWithinTheLimit) {
  const std::vector<Anchor> anchors{{other_tag, 0}, {nearly_main_tag, 1}, {main_tag, 2}, {main_tag, 3}};
  const auto none = [](std::size_t) { return 0.F; };
  EXPECT_EQ(nearest_anchor(anchors, main_tag, 0.2F, none), 2);
  EXPECT_EQ(nearest_anchor(std::vector<Anchor>{{other_tag, 0}}, main_tag, 0.2F, none), -1);
  EXPECT_EQ(nearest_anchor({}, main_tag, 0.2F, none), -1);
  const auto disfavored = [](std::size_t anchor) { return anchor >= 2 ? 1.F : 0.F; };
  EXPECT_EQ(nearest_anchor(anchors, main_tag, 0.2F, disfavored), 1);
}

TEST(NearestAnchor, AcceptsADistanceEqualToTheLimit) {
  const auto at = [](float offset) { return [=](std::size_t) { return offset; }; };
  const std::vector<Anchor> anchors{{main_tag, 0}};
  EXPECT_EQ(nearest_anchor(anchors, main_tag, 0.2F, at(0.2F - tag_distance(main_tag, main_tag))), 0);
  EXPECT_EQ(nearest_anchor(anchors, main_tag, 0.2F, at(0.2001F)), -1);
}

// The published library remembers matches and does not see that a module has been favored since.
TEST(GlobalRegulators, AChangeReachesATagThatWasMatchedBefore) {
  constexpr Tag far_tag = main_tag ^ 0xff;  // matches main_tag less well than nearly_main_tag does
  const auto regulated = [](float state) {
    VirtualCpu cpu = stepping_cpu({global_anchor(nearly_main_tag), nop(), global_anchor(far_tag), nop(),
                                   Instruction::of(Opcode::global_regulator_set, {0, 0, 0}, far_tag)});
    EXPECT_TRUE(cpu.launch(main_tag, JumpTable::internal));  // remembers the match
    EXPECT_EQ(cpu.core(0).position, 0U);
    EXPECT_TRUE(cpu.launch_at(4, {state}));
    execute(cpu, 2);
    EXPECT_TRUE(cpu.launch(main_tag, JumpTable::internal));
    return cpu.core(2).position;
  };
  EXPECT_EQ(regulated(-100), 2U) << "favored";
  EXPECT_EQ(regulated(100), 0U) << "disfavored";
}

TEST(GlobalRegulators, ADecayReachesATagThatWasMatchedBefore) {
  VirtualCpu cpu =
      stepping_cpu({global_anchor(main_tag), nop(), Instruction::of(Opcode::global_regulator_set, {}, main_tag)});
  EXPECT_TRUE(cpu.launch_at(2, {100}));
  execute(cpu, 1);
  EXPECT_FALSE(cpu.launch(main_tag, JumpTable::internal));
  cpu.decay_regulators();
  EXPECT_FALSE(cpu.launch(main_tag, JumpTable::internal));
  cpu.decay_regulators();
  EXPECT_TRUE(cpu.launch(main_tag, JumpTable::internal));
}

TEST(GlobalRegulators, OfTheTwoTablesAreIndependent) {
  VirtualCpu cpu =
      stepping_cpu({global_anchor(main_tag, 2), nop(), Instruction::of(Opcode::exposed_regulator_set, {}, main_tag)});
  EXPECT_TRUE(cpu.launch_at(2, {100}));
  execute(cpu, 1);
  EXPECT_FALSE(cpu.launch(main_tag, JumpTable::exposed));
  EXPECT_TRUE(cpu.launch(main_tag, JumpTable::internal));
}

TEST(LocalRegulators, SteerJumpsAndKeepTheFourNewest) {
  LocalRegulators regulators;
  for (int anchor = 0; anchor < 5; ++anchor) regulators.change(anchor, [](Regulator& r) { r.set(2); });
  EXPECT_EQ(regulators.get(0).state(), 0);
  for (int anchor = 1; anchor < 5; ++anchor) EXPECT_EQ(regulators.get(anchor).state(), 2);
  regulators.decay_all();
  EXPECT_TRUE(regulators.any());
  regulators.decay_all();
  EXPECT_FALSE(regulators.any());

  VirtualCpu cpu = stepping_cpu({global_anchor(other_tag), Instruction::of(Opcode::local_regulator_set, {}, main_tag),
                                 Instruction::of(Opcode::local_jump_if, {}, main_tag), nop(), local_anchor(main_tag),
                                 local_anchor(nearly_main_tag)});
  cpu.launch_at(0, {100});
  execute(cpu, 3);
  EXPECT_EQ(cpu.core(0).position, 5U) << "the nearest anchor is disfavored";
}

// The nearest of the anchors within the limit by the definitions alone; -1: none.
int nearest_by_definition(std::span<const Anchor> anchors, Tag tag, const std::vector<float>& offsets) {
  int nearest = -1;
  float smallest = 0;
  for (std::size_t i = 0; i < anchors.size(); ++i) {
    const float distance = std::clamp(tag_distance(anchors[i].tag, tag) + offsets[i], -0.1F, 1.1F);
    if (distance > global_match_limit || (nearest >= 0 && distance >= smallest)) continue;
    smallest = distance;
    nearest = static_cast<int>(i);
  }
  return nearest;
}

// Random changes, decays and queries: the CPU, which remembers matches, against one search per query.
TEST(Matching, AgreesWithASearchWithoutMemory) {
  SeededRandom random(3);
  for (int program = 0; program < 50; ++program) {
    Program code;
    for (int i = 0; i < 30; ++i) {
      code.push_back(global_anchor(random.bits(), static_cast<std::uint8_t>(random.below(8))));
    }
    std::vector<Tag> tags(20);
    for (Tag& tag : tags) tag = random.bits();
    for (std::size_t i = 0; i < tags.size(); ++i) {
      const auto opcode = i % 2 == 0 ? Opcode::global_regulator_set : Opcode::exposed_regulator_adjust;
      code.push_back(Instruction::of(opcode, {}, tags[i]));
    }
    VirtualCpu cpu = stepping_cpu(code, 1);
    for (int step = 0; step < 200; ++step) {
      const std::uint32_t choice = random.below(10);
      const auto which = random.below(static_cast<std::uint32_t>(tags.size()));
      if (choice == 0) {
        cpu.decay_regulators();
      } else if (choice < 4) {
        ASSERT_TRUE(cpu.launch_at(30 + which, {static_cast<float>(random.unit() * 8 - 4)}));
        execute(cpu, 1);
      } else {
        const JumpTable table = choice < 7 ? JumpTable::internal : JumpTable::exposed;
        const auto anchors = cpu.program().global_anchors(table);
        std::vector<float> offsets;
        for (std::size_t i = 0; i < anchors.size(); ++i)
          offsets.push_back(cpu.regulator(table, static_cast<int>(i)).offset());
        const int expected = nearest_by_definition(anchors, tags[which], offsets);
        ASSERT_EQ(cpu.launch(tags[which], table), expected >= 0);
        if (expected >= 0) {
          ASSERT_EQ(cpu.core(0).position, anchors[static_cast<std::size_t>(expected)].position);
        }
      }
      cpu.end_cores();
    }
  }
}

}  // namespace
}  // namespace laxity::evolution
