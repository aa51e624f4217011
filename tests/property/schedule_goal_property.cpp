// Random schedules survive GOAL as text and as binary; damaged files give a schedule or an error that names its place.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "laxity/random.hpp"
#include "laxity/schedule/goal_file.hpp"
#include "tests/effort.hpp"
#include "tests/property/largest_allocation.hpp"
#include "tests/property/parser_checks.hpp"

namespace laxity::schedule {
namespace {

Schedule random_schedule(SeededRandom& random) {
  Schedule schedule(1 + random.below(5));
  for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank) {
    schedule.begin_rank();
    const std::uint32_t ops = random.below(6);
    for (OpId id = 0; id < ops; ++id) {
      Op op{.size = random.below(1000), .action = static_cast<Action>(random.below(3))};
      op.cpu = static_cast<std::uint8_t>(random.below(3));
      if (op.action != Action::compute) {
        op.peer = op.action == Action::receive && random.below(5) == 0 ? any : random.below(schedule.ranks());
        op.tag = op.action == Action::receive && random.below(5) == 0 ? any : random.below(100);
        op.nic = static_cast<std::uint8_t>(random.below(2));
      }
      static_cast<void>(schedule.add(op, {}));
    }
    for (std::uint32_t edges = ops < 2 ? 0 : random.below(6); edges > 0; --edges) {
      const OpId before = random.below(ops), after = random.below(ops);
      if (before != after) schedule.require({before, after, random.below(2) == 0});
    }
  }
  return schedule;
}

void expect_same(const Schedule& a, const Schedule& b) { EXPECT_EQ(format_goal(a), format_goal(b)); }

TEST(Goal, WhatIsWrittenReadsBackTheSame) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    SeededRandom random(seed);
    const Schedule schedule = random_schedule(random);
    expect_same(parse_goal(format_goal(schedule), "written"), schedule);
    // The binary form lists edges by the operation that others wait for: once through it the order stays.
    const Schedule again = parse_goal_binary(format_goal_binary(schedule), "written");
    EXPECT_EQ(format_goal_binary(again), format_goal_binary(schedule));
    ASSERT_FALSE(HasFailure());
  }
}

TEST(Goal, DamagedFilesGiveAScheduleOrAnErrorInBoundedMemory) {
  constexpr std::array<std::string_view, 10> words{
      "num_ranks ", "rank 1 {", "}", "requires ", "l0", ":", "-1", "/*", "99999999999999999999", "tag "};
  for (std::uint64_t seed = 0; seed < 3000 * effort(); ++seed) {
    SCOPED_TRACE(seed);
    SeededRandom random(seed);
    const Schedule schedule = random_schedule(random);
    std::string text = format_goal(schedule), binary = format_goal_binary(schedule);
    for (std::uint32_t damages = 1 + random.below(3); damages > 0; --damages) {
      damage(text, words, random);
      damage(binary, words, random);
    }
    static_cast<void>(take_largest_allocation());
    try {
      static_cast<void>(parse_goal(text, "damaged"));
    } catch (const ParseError& error) {
      check_place(text, error);
    }
    try {
      static_cast<void>(parse_goal_binary(binary, "damaged"));
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("damaged, byte "), std::string::npos);
    }
    EXPECT_LE(take_largest_allocation(), allocation_for(std::max(text.size(), binary.size())));
    ASSERT_FALSE(HasFailure());
  }
}

}  // namespace
}  // namespace laxity::schedule
