#include "workloads/evolution/cpu/tag.hpp"

#include <cmath>
#include <cstdint>

#include "gtest/gtest.h"
#include "laxity/random.hpp"

namespace laxity::evolution {
namespace {

// Bit by bit, as the definition says.
int run_length(std::uint64_t bits, bool value) {
  int longest = 0;
  int current = 0;
  for (int i = 0; i < 64; ++i) {
    current = ((bits >> i & 1) == 1) == value ? current + 1 : 0;
    if (current > longest) longest = current;
  }
  return longest;
}

float distance_by_definition(Tag a, Tag b) {
  const auto weight = [](int k) { return (64 - k + 1) / std::pow(2.0, k); };
  const double same = weight(run_length(a ^ b, false));
  const double unlike = weight(run_length(a ^ b, true));
  return static_cast<float>(same / (same + unlike));
}

TEST(TagDistance, FollowsItsDefinitionForAllPairsOfEightBitTags) {
  for (Tag a = 0; a < 256; ++a) {
    for (Tag b = 0; b < 256; ++b) {
      const float exact = tag_distance(a, b);
      ASSERT_FLOAT_EQ(exact, distance_by_definition(a, b)) << a << ' ' << b;
      ASSERT_EQ(tag_distance_up_to_half(a, b), exact <= 0.5F ? exact : 1.F) << a << ' ' << b;
      ASSERT_EQ(tag_distance_up_to_half(a, ~b), tag_distance(a, ~b) <= 0.5F ? tag_distance(a, ~b) : 1.F)
          << a << ' ' << b;
    }
  }
}

TEST(TagDistance, FollowsItsDefinitionForRandomTags) {
  SeededRandom random(1);
  for (int i = 0; i < 100'000; ++i) {
    const Tag a = random.bits();
    const Tag b = random.bits();
    ASSERT_FLOAT_EQ(tag_distance(a, b), distance_by_definition(a, b)) << a << ' ' << b;
    ASSERT_EQ(tag_distance(a, b), tag_distance(b, a));
    const float exact = tag_distance(a, b);
    ASSERT_EQ(tag_distance_up_to_half(a, b), exact <= 0.5F ? exact : 1.F) << a << ' ' << b;
  }
}

TEST(TagDistance, IsNearZeroForEqualTagsAndNearOneForInverses) {
  const Tag tag = 0x123456789abcdef0;
  EXPECT_LT(tag_distance(tag, tag), 1e-15F);
  EXPECT_GT(tag_distance(tag, ~tag), 1 - 1e-6F);
}

TEST(TagDistance, MatchesTheKnownShareOfRandomPairs) {
  SeededRandom random(2);
  constexpr int pairs = 200'000;
  int global = 0;
  int local = 0;
  for (int i = 0; i < pairs; ++i) {
    const float distance = tag_distance(random.bits(), random.bits());
    global += distance <= 0.2F;
    local += distance <= 0.5F;
  }
  EXPECT_NEAR(global / double{pairs}, 0.26, 0.005);
  EXPECT_NEAR(local / double{pairs}, 0.59, 0.005);
}

}  // namespace
}  // namespace laxity::evolution
