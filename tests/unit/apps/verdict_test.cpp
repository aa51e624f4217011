// Verdicts on run times.
#include "apps/laxity/tune/verdict.hpp"

#include <gtest/gtest.h>

namespace laxity::cli {
namespace {

TEST(Verdict, FollowsFromTheIntervalOfTheRatio) {
  EXPECT_EQ(verdict_of({0.9, 0.85, 0.99}, 10), Verdict::better);
  EXPECT_EQ(verdict_of({1.1, 1.01, 1.2}, 10), Verdict::worse);
  EXPECT_EQ(verdict_of({1, 0.96, 1.04}, 10), Verdict::same);
  EXPECT_EQ(verdict_of({0.98, 0.9, 1.04}, 10), Verdict::cannot_be_told);
  EXPECT_EQ(verdict_of({1.02, 0.96, 1.06}, 10), Verdict::cannot_be_told);
}

TEST(Verdict, NeedsSixRounds) {
  EXPECT_EQ(verdict_of({0.5, 0.5, 0.5}, 5), Verdict::cannot_be_told);
  EXPECT_EQ(verdict_of({0.5, 0.5, 0.5}, 6), Verdict::better);
}

TEST(Verdict, HasAName) {
  EXPECT_EQ(name_of(Verdict::better), "better");
  EXPECT_EQ(name_of(Verdict::cannot_be_told), "cannot be told");
}

TEST(RatioOfTimes, DisturbancesOfARoundCancel) {
  // Each round has another speed, but the first treatment always takes 0.8 times as long.
  std::vector<double> library, tuned;
  for (const double speed : {1.0, 9.0, 2.0, 7.0, 3.0, 8.0, 4.0}) {
    library.push_back(speed);
    tuned.push_back(0.8 * speed);
  }
  const BootstrapInterval ratio = ratio_of_times(tuned, library, 1);
  EXPECT_NEAR(ratio.low, 0.8, 1e-12);
  EXPECT_NEAR(ratio.middle, 0.8, 1e-12);
  EXPECT_NEAR(ratio.high, 0.8, 1e-12);
  const BootstrapInterval time = median_time(library, 1);
  EXPECT_EQ(time.middle, 4);
  EXPECT_LT(time.low, time.middle);
  EXPECT_GT(time.high, time.middle);
}

}  // namespace
}  // namespace laxity::cli
