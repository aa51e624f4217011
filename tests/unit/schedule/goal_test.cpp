#include <gtest/gtest.h>

#include <string>

#include "laxity/error.hpp"
#include "laxity/schedule/goal_file.hpp"

namespace laxity::schedule {
namespace {

constexpr const char* ping_pong = R"(num_ranks 2

rank 0 {
l0: calc 100
l1: send 8b to 1 tag 3
l2: recv 8b from -1 tag -1 cpu 1 nic 2
l1 requires l0
l2 irequires l1
}

rank 1 {
l0: recv 8b from 0 tag 3
l1: send 8b to 0 tag 4
l1 requires l0
}
)";

TEST(Goal, ReadsEveryKindOfStatement) {
  const Schedule schedule = parse_goal(ping_pong, "ping_pong.goal");
  ASSERT_EQ(schedule.ranks(), 2U);
  ASSERT_EQ(schedule.ops(0).size(), 3U);
  EXPECT_EQ(schedule.ops(0)[0], (Op{.size = 100}));
  EXPECT_EQ(schedule.ops(0)[1], (Op{.size = 8, .peer = 1, .tag = 3, .action = Action::send}));
  EXPECT_EQ(schedule.ops(0)[2],
            (Op{.size = 8, .peer = any, .tag = any, .action = Action::receive, .cpu = 1, .nic = 2}));
  ASSERT_EQ(schedule.edges(0).size(), 2U);
  EXPECT_EQ(schedule.edges(0)[0], (Edge{0, 1, false}));
  EXPECT_EQ(schedule.edges(0)[1], (Edge{1, 2, true}));
}

TEST(Goal, WritesWhatItReads) { EXPECT_EQ(format_goal(parse_goal(ping_pong, "ping_pong.goal")), ping_pong); }

TEST(Goal, TakesCommentsBareOperationsAndRanksWithoutOperations) {
  const Schedule schedule = parse_goal(
      "// one\nnum_ranks 3 /* two\n lines */\nrank 2 {\n  calc 7 // end\n  a : calc 8\n}\n", "comments.goal");
  EXPECT_EQ(schedule.ops(0).size(), 0U);
  EXPECT_EQ(schedule.ops(2).size(), 2U);
}

void expect_place(const std::string& text, const std::string& place) {
  try {
    static_cast<void>(parse_goal(text, "f"));
    FAIL() << text;
  } catch (const ParseError& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, place.size()), place) << error.what();
  }
}

TEST(Goal, NamesThePlaceAndWhatWasExpected) {
  expect_place("ranks 2\n", "f:1:1: expected num_ranks, not ");
  expect_place("num_ranks 0\n", "f:1:11: expected the number of ranks, 1 to ");
  expect_place("num_ranks 2\nrank 2 {\n}\n", "f:2:6: expected a rank, 0 to 1");
  expect_place("num_ranks 1\nrank 0 {\nl0: send 8 to 0\n}\n", "f:3:10: expected a number of bytes");
  expect_place("num_ranks 1\nrank 0 {\nl0: calc 8\nl0: calc 9\n}\n", "f:4:1: this label is taken");
  expect_place("num_ranks 1\nrank 0 {\nl0: calc 8\nl0 requires l1\n}\n", "f:4:13: no operation of this rank");
  expect_place("num_ranks 1\nrank 0 {\nl0: calc 8\nl0 requires l0\n}\n", "f:4:13: an operation cannot wait for itself");
  expect_place("num_ranks 1\nrank 0 {\nl0: calc 8\n", "f:4:1: a rank ends with }");
  expect_place("num_ranks 1\n/* no end\n", "f:2:1: this comment has no end");
}

// The mark, one rank, one processor and interface, the rank's part from 22 to 73, one operation that nothing precedes: a
// computation of 100 ns.
TEST(GoalBinary, HasTheLayoutOfTxt2bin) {
  Schedule schedule(1);
  schedule.begin_rank();
  schedule.compute(100, {});
  std::string expected{"\x7f\x10\0\0\0\0\0\0\x01\0\0\0\x01\x01\x16\0\0\0\0\0\0\0\x49\0\0\0\0\0\0\0", 30};
  expected += std::string{"\x01\0\0\0\x01\0\0\0\0\0\0\0", 12};
  expected += std::string{"\0\0\0\0\x03\0\0\0\0\x64\0\0\0\0\0\0\0\0\0\0\0\0\0", 23};
  expected += std::string(16, '\0');
  EXPECT_EQ(format_goal_binary(schedule), expected);
}

}  // namespace
}  // namespace laxity::schedule
