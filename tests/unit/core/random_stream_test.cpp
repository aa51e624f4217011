// The counter-based generator gives the published numbers, and its streams have no block in common.
#include "laxity/random_stream.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <type_traits>

namespace laxity {
namespace {

static_assert(std::is_trivially_copyable_v<RandomStream> && sizeof(RandomStream) == 32);

using Block = std::array<std::uint32_t, 4>;

// Source: tests/kat_vectors of Random123, the library of the authors, lines "philox4x32 10".
TEST(Philox, GivesThePublishedNumbers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}), (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomStream, DrawsTheBlocksOfItsOwnCounters) {
  RandomStream stream(0x1234567890abcdefU, 7, 3);
  for (std::uint32_t block = 0; block < 5; ++block) {
    const Block drawn = philox({block, 0, 3, 7}, {0x90abcdef, 0x12345678});
    EXPECT_EQ(stream.bits(), (std::uint64_t{drawn[1]} << 32) | drawn[0]);
    EXPECT_EQ(stream.bits(), (std::uint64_t{drawn[3]} << 32) | drawn[2]);
  }
}

TEST(RandomStream, ACopyContinuesFromTheSamePlace) {
  RandomStream stream(1);
  for (int drawn = 0; drawn < 6; ++drawn) {
    RandomStream copy = stream;
    const std::uint64_t next = stream.bits();
    EXPECT_EQ(copy.bits(), next);
    EXPECT_EQ(copy.bits(), RandomStream(stream).bits());
  }
}

TEST(RandomStream, StreamsOfNeighboringNumbersHaveNoNumberInCommon) {
  std::set<std::uint64_t> all;
  constexpr int draws = 8;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    for (std::uint32_t process = 0; process < 8; ++process) {
      for (std::uint32_t number = 0; number < 8; ++number) {
        RandomStream stream(seed, process, number);
        for (int i = 0; i < draws; ++i) all.insert(stream.bits());
      }
    }
  }
  EXPECT_EQ(all.size(), 8U * 8 * 8 * draws);
}

TEST(UniformNumbers, StayInsideTheirIntervals) {
  RandomStream stream(1);
  double mean = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double closed = stream.unit();
    EXPECT_TRUE(closed >= 0 && closed < 1);
    const double open = stream.open_unit();
    EXPECT_TRUE(open > 0 && open < 1 && 1 - open > 0);
    EXPECT_LT(stream.below(3), 3U);
    mean += open / 10'000;
  }
  EXPECT_NEAR(mean, 0.5, 0.02);
}

}  // namespace
}  // namespace laxity
