// The time windows: when they delay an event, and that each opens again.
#include "laxity/timewarp/optimism.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace laxity::timewarp {
namespace {

constexpr std::uint64_t enough = 16384;  // events for a judgement

TEST(TimeWindow, NoneNeverWaits) {
  TimeWindow window(Optimism::none);
  for (int i = 0; i < 1000; ++i) window.rolled_back(1.0);
  window.new_gvt(enough, enough);
  EXPECT_TRUE(window.permits(1e300));
}

TEST(TimeWindow, AdaptiveWaitsBeyondTheMeanDistanceOfRollbacks) {
  TimeWindow window(Optimism::adaptive);
  for (int i = 0; i < 100; ++i) window.rolled_back(i % 2 == 0 ? 1.0 : 3.0);
  EXPECT_TRUE(window.permits(1e9)) << "too few samples";
  window.rolled_back(2.0);
  EXPECT_DOUBLE_EQ(window.width(), 2.0);
  EXPECT_TRUE(window.permits(2.0));
  EXPECT_FALSE(window.permits(2.1));
}

TEST(TimeWindow, AWaitingEventWidensAnAdaptiveWindow) {
  TimeWindow window(Optimism::adaptive);
  for (int i = 0; i < 200; ++i) window.rolled_back(0.0);
  EXPECT_TRUE(window.permits(0.0)) << "events at GVT may always be processed";
  EXPECT_FALSE(window.permits(10.0));
  const double narrow = window.width();
  for (int i = 0; i < 1000; ++i) static_cast<void>(window.permits(10.0));
  EXPECT_GT(window.width(), 100 * narrow);
}

TEST(TimeWindow, ScaleFreeHalvesTheDistanceUsed) {
  TimeWindow window(Optimism::scale_free);
  EXPECT_TRUE(window.permits(8.0));
  window.new_gvt(enough, enough / 2);
  EXPECT_DOUBLE_EQ(window.width(), 4.0);
  EXPECT_FALSE(window.permits(5.0));
  EXPECT_TRUE(window.permits(4.0));
  window.new_gvt(enough, 0);
  const double grown = window.width();
  EXPECT_GT(grown, 4.5);
  window.new_gvt(enough, enough / 5);
  EXPECT_DOUBLE_EQ(window.width(), grown) << "between the limits it stays";
}

TEST(TimeWindow, ScaleFreeAdaptsAfterEnoughEventsOnly) {
  TimeWindow window(Optimism::scale_free);
  EXPECT_TRUE(window.permits(8.0));
  window.new_gvt(10, 10);
  EXPECT_TRUE(std::isinf(window.width()));
  window.new_gvt(enough, 0);
  EXPECT_TRUE(std::isinf(window.width()));
}

// A window cannot prevent rollbacks among events of one time, so these must not close it.
TEST(TimeWindow, AScaleFreeWindowOpensAgain) {
  TimeWindow window(Optimism::scale_free);
  EXPECT_TRUE(window.permits(1.0));
  for (int i = 0; i < 100; ++i) {
    static_cast<void>(window.permits(0.0));
    window.new_gvt(enough, enough - 1);
  }
  for (int i = 0; i < 100; ++i) window.new_gvt(enough, 0);
  EXPECT_TRUE(window.permits(1.0));
}

}  // namespace
}  // namespace laxity::timewarp
