#include "benchmarks/rounds.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace laxity::bench {
namespace {

TEST(Rounds, EveryCandidateRunsInEveryRoundAndTheOrderIsRotated) {
  std::vector<std::size_t> order;
  const RoundFigures figures = measure_in_rounds(3, 2, [&](std::size_t candidate) {
    order.push_back(candidate);
    return static_cast<double>(order.size());
  });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 1, 0, 0, 1}));
  EXPECT_EQ(figures, (RoundFigures{{1, 4, 5}, {2, 3, 6}}));
}

TEST(Rounds, RatiosAndDifferencesAreFormedRoundByRound) {
  EXPECT_EQ(ratios({6, 8}, {2, 4}), (std::vector<double>{3, 2}));
  EXPECT_EQ(differences({6, 8}, {2, 5}), (std::vector<double>{4, 3}));
}

TEST(Rounds, TheCommandLineSetsRoundsAndSmoke) {
  char program[] = "benchmark", rounds[] = "--rounds", seven[] = "7", smoke[] = "--smoke";
  char* words[] = {program, rounds, seven, nullptr};
  EXPECT_EQ(read_command_line(3, words, 5).rounds, 7);
  EXPECT_EQ(read_command_line(1, words, 5).rounds, 5);
  char* moment[] = {program, smoke, nullptr};
  const CommandLine line = read_command_line(2, moment, 5);
  EXPECT_TRUE(line.smoke);
  EXPECT_EQ(line.rounds, 1);
}

TEST(RoundsDeathTest, AWordThatIsUnknownIsAUsageError) {
  char program[] = "benchmark", csv[] = "--csv", file[] = "x";
  char* words[] = {program, csv, file, nullptr};
  EXPECT_EXIT((void)read_command_line(3, words, 5), ::testing::ExitedWithCode(2), "usage: benchmark");
}

}  // namespace
}  // namespace laxity::bench
