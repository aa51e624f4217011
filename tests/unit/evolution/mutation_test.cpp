#include "workloads/evolution/genome/mutation.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "laxity/random.hpp"

namespace laxity::evolution {
namespace {

// Instructions that can be told apart.
Program numbered(std::size_t length) {
  Program program(length);
  for (std::size_t i = 0; i < length; ++i) program[i] = Instruction::of(Opcode::nop_a, {}, i + 1);
  return program;
}

TEST(SloppyCopy, IsExactWithoutDefects) {
  SeededRandom random(1);
  Descent descent;
  const Program program = numbered(50);
  EXPECT_EQ(sloppy_copy(program, Insertion::random_instructions, {.defect = 0}, descent, random), program);
  EXPECT_EQ(descent, Descent{});
}

// The length after a copy is that before it, changed by what was inserted and deleted: uniform sizes of mean 4.5.
TEST(SloppyCopy, InsertsAndDeletesAsOftenAsItSays) {
  SeededRandom random(2);
  const Program program = numbered(100);
  MutationRates rates{.defect = 0.01, .severe_defect = 0, .max_length = 10'000};
  Descent descent;
  double growth = 0;
  constexpr int copies = 20'000;
  for (int i = 0; i < copies; ++i) {
    growth +=
        static_cast<double>(sloppy_copy(program, Insertion::random_instructions, rates, descent, random).size()) - 100;
  }
  // Deletions skip instructions that could have had a defect: on average 1 / (1 + 0.005 * 3.5) of 100 draws per copy.
  const double expected = copies * 100 * 0.01 / 2 / (1 + 0.005 * 3.5);
  const double tolerance = 5 * std::sqrt(expected);
  EXPECT_NEAR(descent.insertions, expected, tolerance);
  EXPECT_NEAR(descent.deletions, expected, tolerance);
  EXPECT_NEAR(growth / copies, 0, 0.15) << "insertions and deletions are of equal size, except at the end";
}

TEST(SloppyCopy, RepeatsTheSequenceThatStandsThere) {
  SeededRandom random(3);
  const Program program = numbered(100);
  const MutationRates rates{.defect = 0.02, .severe_defect = 0};
  int insertions = 0;
  for (int i = 0; i < 100; ++i) {
    Descent descent;
    const Program copy = sloppy_copy(program, Insertion::repeated_sequence, rates, descent, random);
    insertions += static_cast<int>(descent.insertions);
    for (std::size_t at = 1; at < copy.size(); ++at) {
      ASSERT_GE(copy[at].tag(), 1U) << "no instruction is new";
      ASSERT_LE(copy[at].tag(), 100U);
    }
  }
  EXPECT_GT(insertions, 50);
}

TEST(SloppyCopy, NeverExceedsTheCap) {
  SeededRandom random(4);
  const MutationRates rates{.defect = 0.5, .severe_defect = 0.5, .max_length = 120};
  Descent descent;
  for (int i = 0; i < 500; ++i) {
    ASSERT_LE(sloppy_copy(numbered(100), Insertion::random_instructions, rates, descent, random).size(), 120U);
  }
}

TEST(FlipBits, FlipsEachBitWithTheGivenProbability) {
  SeededRandom random(5);
  constexpr std::size_t bytes = 100;
  constexpr int rounds = 5000;
  std::vector<int> flipped(bytes * 8);
  std::size_t reported = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::byte> room(bytes);
    reported += flip_bits(room, 0.01, random);
    for (std::size_t bit = 0; bit < flipped.size(); ++bit)
      flipped[bit] += (room[bit / 8] >> bit % 8 & std::byte{1}) != std::byte{};
  }
  std::size_t total = 0;
  for (const int count : flipped) {
    EXPECT_NEAR(count, 50, 45) << "6 standard deviations";
    total += static_cast<std::size_t>(count);
  }
  EXPECT_EQ(total, reported);
  EXPECT_NEAR(static_cast<double>(total), 40'000, 1000);
}

TEST(FlipBits, FlipsNoneAtZeroAndAllAtOne) {
  SeededRandom random(6);
  std::vector<std::byte> room(10);
  EXPECT_EQ(flip_bits(room, 0, random), 0U);
  EXPECT_EQ(room, std::vector<std::byte>(10));
  EXPECT_EQ(flip_bits(room, 1, random), 80U);
  EXPECT_EQ(room, std::vector<std::byte>(10, std::byte{0xff}));
}

TEST(Mutation, OccursWithTheProbabilityOfTheReplicationLevel) {
  SeededRandom random(7);
  const Genome parent = random_genome(100, random);
  const MutationRates rates;
  for (std::size_t level = 0; level <= kin_levels; ++level) {
    constexpr int births = 2000;
    int mutated = 0;
    for (int i = 0; i < births; ++i) {
      Genome child = parent;
      mutate_at_birth(child, level, rates, random);
      ASSERT_GE(child.program.size(), 1U);
      ASSERT_LE(child.program.size(), rates.max_length);
      mutated += child != parent;
    }
    EXPECT_NEAR(mutated, births * rates.occurrence[level], 5 * std::sqrt(births * rates.occurrence[level]));
  }
}

}  // namespace
}  // namespace laxity::evolution
