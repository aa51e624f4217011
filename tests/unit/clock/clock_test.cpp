#include "laxity/clock/clock.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "laxity/clock/tsc_clock.hpp"

namespace laxity {
namespace {

template <class C>
class EveryClock : public testing::Test {};
using Clocks = testing::Types<SteadyClock, TscClock, EpochClock, ManualClock>;
TYPED_TEST_SUITE(EveryClock, Clocks);

TYPED_TEST(EveryClock, NeverGoesBack) {
  const TypeParam clock;
  std::int64_t last = clock.now_ns();
  for (int reading = 0; reading < 100'000; ++reading) {
    const std::int64_t now = clock.now_ns();
    ASSERT_GE(now, last);
    last = now;
  }
}

TYPED_TEST(EveryClock, ItsCopyTellsTheSameTime) {
  const TypeParam clock;
  const TypeParam copy = clock;
  const std::int64_t before = clock.now_ns();
  const std::int64_t between = copy.now_ns();
  EXPECT_LE(before, between);
  EXPECT_LE(between, clock.now_ns());
}

TEST(TscClock, CountsLikeTheSteadyClock) {
  const TscClock ticking;
  const SteadyClock steady;
  const std::int64_t before = steady.now_ns();
  const std::int64_t ticks = ticking.now_ns();
  const std::int64_t after = steady.now_ns();
  // The scale is right within some parts per million of the time since it was measured; the thread may be descheduled.
  EXPECT_GE(ticks, before - 1'000'000);
  EXPECT_LE(ticks, after + 1'000'000);

  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const std::int64_t slept = ticking.now_ns() - ticks;
  const std::int64_t slept_at_most = steady.now_ns() - before;
  EXPECT_GE(slept, 49'000'000);
  EXPECT_LE(slept, slept_at_most + 1'000'000);
}

TEST(TscClock, StandsOnTheSteadyClockWhereThereIsNoInvariantCounter) {
  TscScale none;
  EXPECT_EQ(none.ns_per_tick_2_32, 0);
  // It depends on the host; the clock works in both cases.
  EXPECT_GT(TscClock{}.now_ns(), 0);
}

TEST(EpochClock, CountsFromTheEpoch) {
  const std::int64_t before = wall_clock_ns();
  const EpochClock clock;
  const std::int64_t now = clock.now_ns();
  EXPECT_GE(now, before - 1'000'000);
  EXPECT_LE(now, wall_clock_ns() + 1'000'000);
}

TEST(ManualClock, MovesOnlyByHandAndForAllCopies) {
  ManualClock clock(5);
  const ManualClock copy = clock;
  EXPECT_EQ(copy.now_ns(), 5);
  clock.advance_ns(7);
  EXPECT_EQ(copy.now_ns(), 12);
  clock.set_ns(100);
  EXPECT_EQ(copy.now_ns(), 100);
}

}  // namespace
}  // namespace laxity
