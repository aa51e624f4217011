// The parts of the arrival benchmark without MPI: the figures of a call, and the choice of the skew.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "laxity/collective/benchmark/call_times.hpp"
#include "laxity/collective/patterns/skew.hpp"
#include "laxity/error.hpp"
#include "laxity/random.hpp"

namespace laxity::collective {
namespace {

using Times = std::vector<std::int64_t>;

TEST(CallTimes, HaveEqualDelaysForSimultaneousArrivals) {
  const CallTimes times = call_times(Times{1'000, 1'000, 1'000}, Times{4'000, 6'000, 5'000});
  EXPECT_DOUBLE_EQ(times.last_delay_us(), 5);
  EXPECT_DOUBLE_EQ(times.total_delay_us(), 5);
}

TEST(CallTimes, TheLastDelayExcludesTheSkew) {
  // The third process arrives 10 us after the first. The last exit ends the call, whichever process it is.
  const CallTimes times = call_times(Times{0, 2'000, 10'000, 4'000}, Times{12'000, 13'500, 11'000, 4'500});
  EXPECT_DOUBLE_EQ(times.last_delay_us(), 3.5);
  EXPECT_DOUBLE_EQ(times.total_delay_us(), 13.5);
}

TEST(CallTimes, ASingleProcessIsFirstAndLast) {
  const CallTimes times = call_times(Times{-500}, Times{250});
  EXPECT_DOUBLE_EQ(times.last_delay_us(), 0.75);
  EXPECT_DOUBLE_EQ(times.total_delay_us(), 0.75);
}

TEST(CallTimes, TotalDelayIsLastDelayAndSkew) {
  SeededRandom random(3);
  for (int history = 0; history < 200; ++history) {
    Times arrivals, exits;
    for (std::uint32_t process = 0; process <= random.below(20); ++process) {
      arrivals.push_back(random.below(1'000'000));
      exits.push_back(arrivals.back() + random.below(1'000'000));
    }
    const auto [first, last] = std::minmax_element(arrivals.begin(), arrivals.end());
    const CallTimes times = call_times(arrivals, exits);
    const double skew_us = static_cast<double>(*last - *first) * 1e-3;
    EXPECT_NEAR(times.total_delay_us(), times.last_delay_us() + skew_us, 1e-9);
    EXPECT_GE(times.last_delay_us(), 0);
  }
}

TEST(CallTimes, RefusesMissingExits) {
  EXPECT_THROW((void)call_times({}, {}), UsageError);
  EXPECT_THROW((void)call_times(Times{1, 2}, Times{3}), UsageError);
}

TEST(Skew, MeanIsTheSameForAllAlgorithms) {
  const SkewPolicy policy = parse_skew("mean:1.5");
  EXPECT_DOUBLE_EQ(policy.skew_s({1e-6, 3e-6}, 0), 3e-6);
  EXPECT_DOUBLE_EQ(policy.skew_s({1e-6, 3e-6}, 1), 3e-6);
  EXPECT_DOUBLE_EQ(parse_skew("mean").skew_s({1e-6, 3e-6}, 1), 2e-6);
}

TEST(Skew, OwnIsTheRunTimeOfEachAlgorithm) {
  const SkewPolicy policy = parse_skew("own");
  EXPECT_DOUBLE_EQ(policy.skew_s({1e-6, 3e-6}, 0), 1e-6);
  EXPECT_DOUBLE_EQ(policy.skew_s({1e-6, 3e-6}, 1), 3e-6);
  EXPECT_DOUBLE_EQ(parse_skew("own:0.5").skew_s({1e-6, 3e-6}, 1), 1.5e-6);
  EXPECT_THROW((void)policy.skew_s({1e-6}, 1), UsageError);
}

TEST(Skew, GivenNeedsNoMeasurement) {
  EXPECT_DOUBLE_EQ(parse_skew("250us").skew_s({}, 0), 250e-6);
  EXPECT_DOUBLE_EQ(parse_skew("2ms").skew_s({}, 7), 2e-3);
  EXPECT_DOUBLE_EQ(parse_skew("0.5s").skew_s({}, 0), 0.5);
  EXPECT_DOUBLE_EQ(parse_skew("80ns").skew_s({}, 0), 80e-9);
}

TEST(Skew, IsReadAsItIsWritten) {
  for (const std::string text : {"mean", "mean:1.5", "own:0.25", "own", "250us", "1e-3s", "7ns"}) {
    const SkewPolicy policy = parse_skew(text);
    EXPECT_EQ(parse_skew(text_of(policy)), policy) << text;
  }
}

TEST(Skew, RefusesInvalidText) {
  for (const std::string text : {"", "s", "us", "mean:", "mean:0", "mean:-1", "meanwhile", "own:nan", "own:inf", "12",
                                 "-3us", "0us", "5 us", "5kg", "1e999s", "mean:1.5x"}) {
    EXPECT_THROW((void)parse_skew(text), UsageError) << text;
  }
}

}  // namespace
}  // namespace laxity::collective
