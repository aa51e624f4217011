#include "laxity/median.hpp"

#include <gtest/gtest.h>

namespace laxity {
namespace {

TEST(Median, OfAnOddNumberOfValuesIsTheMiddleOne) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, -1, 3}), 3);
}

TEST(Median, OfAnEvenNumberOfValuesIsTheMeanOfTheTwoInTheMiddle) {
  EXPECT_EQ(median({4, 1}), 2.5);
  EXPECT_EQ(median({10, 2, 1, 3}), 2.5);
}

TEST(Median, EqualValuesCountEach) { EXPECT_EQ(median({7, 1, 7, 7}), 7); }

TEST(MedianDeathTest, ThereMustBeAValue) { EXPECT_DEATH((void)median({}), "values.empty"); }

}  // namespace
}  // namespace laxity
