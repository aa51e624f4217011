// The elementary functions of distributions.hpp agree with those of the standard library to a few units in the last
// place.
#include "laxity/elementary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "laxity/random.hpp"

namespace laxity::detail {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

TEST(PortableLog, AgreesWithTheStandardLibrary) {
  SeededRandom random(1);
  for (int i = 0; i < 20'000; ++i) {
    const double near_1 = 0.5 + random.unit();
    EXPECT_NEAR(portable_log(near_1), std::log(near_1), 4 * epsilon * std::abs(std::log(near_1)));
    const double anywhere = std::ldexp(near_1, static_cast<int>(random.below(2000)) - 1000);
    EXPECT_NEAR(portable_log(anywhere), std::log(anywhere), 4 * epsilon * std::abs(std::log(anywhere)));
  }
}

TEST(PortableLog, KnowsTheEndsOfItsRange) {
  EXPECT_EQ(portable_log(1), 0);
  EXPECT_EQ(portable_log(0), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(portable_log(std::numeric_limits<double>::infinity()), std::numeric_limits<double>::infinity());
}

TEST(PortableExp, AgreesWithTheStandardLibrary) {
  SeededRandom random(2);
  for (int i = 0; i < 20'000; ++i) {
    const double x = 1400 * random.unit() - 700;
    EXPECT_NEAR(portable_exp(x) / std::exp(x), 1, 4 * epsilon) << x;
  }
  EXPECT_EQ(portable_exp(0), 1);
  EXPECT_EQ(portable_exp(-std::numeric_limits<double>::infinity()), 0);
  EXPECT_EQ(portable_exp(std::numeric_limits<double>::infinity()), std::numeric_limits<double>::infinity());
}

TEST(Quotients, AreAccurateNearZero) {
  SeededRandom random(3);
  for (int i = 0; i < 20'000; ++i) {
    const double x = std::ldexp(random.unit() - 0.5, -static_cast<int>(random.below(60)));
    EXPECT_NEAR(log1p_quotient(x), x == 0 ? 1 : std::log1p(x) / x, 8 * epsilon) << x;
    EXPECT_NEAR(expm1_quotient(x), x == 0 ? 1 : std::expm1(x) / x, 8 * epsilon) << x;
  }
}

}  // namespace
}  // namespace laxity::detail
