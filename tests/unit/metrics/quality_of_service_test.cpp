#include "laxity/metrics/quality_of_service.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

namespace laxity {
namespace {

const WorkerObservation start{1'000, 10};

TEST(SimstepPeriod, IsTimePerUpdateAndNotItsInverse) { EXPECT_DOUBLE_EQ(simstep_period_ns(start, {3'000, 30}), 100.0); }

TEST(SimstepPeriod, IsTheWholeWindowWhenNoUpdateWasMade) {
  EXPECT_DOUBLE_EQ(simstep_period_ns(start, {3'000, 10}), 2'000.0);
}

TEST(SimstepLatency, IsUpdatesPerTouchOneWay) {
  // 20 updates, 5 round trips of 2 touches each: 2 updates each way.
  EXPECT_DOUBLE_EQ(simstep_latency_updates(start, {3'000, 30}, {}, {.touches = 10}), 2.0);
}

TEST(SimstepLatency, IsAllUpdatesWhenNothingCame) {
  EXPECT_DOUBLE_EQ(simstep_latency_updates(start, {3'000, 30}, {}, {}), 20.0);
}

TEST(SimstepLatency, AveragesTheTouchesOfSummedChannels) {
  EXPECT_DOUBLE_EQ(simstep_latency_updates(start, {3'000, 30}, {}, {.touches = 40}, 4), 2.0);
}

TEST(WalltimeLatency, IsLatencyInUpdatesTimesThePeriod) {
  EXPECT_DOUBLE_EQ(walltime_latency_ns(start, {3'000, 30}, {}, {.touches = 10}), 200.0);
}

TEST(OneWayLatency, IsTheMeanOfTheMessagesThatWereTimed) {
  EXPECT_DOUBLE_EQ(one_way_latency_ns({.timed = 3, .one_way_ns = 100}, {.timed = 7, .one_way_ns = 180}), 20.0);
  EXPECT_DOUBLE_EQ(one_way_latency_ns({.timed = 3, .one_way_ns = 100}, {.timed = 3, .one_way_ns = 100}), 0.0);
}

TEST(OneWayLatency, IsNegativeWhereClocksDiffer) {
  OutletCounters counters;
  counters.one_way_ns.add(5);
  const OutletObservation before = observe(counters);
  for (const std::int64_t age_ns : {-30, 10}) {
    counters.timed.add();
    counters.one_way_ns.add(static_cast<std::uint64_t>(age_ns));
  }
  EXPECT_DOUBLE_EQ(one_way_latency_ns(before, observe(counters)), -10.0);
}

TEST(DeliveryFailureRate, IsTheShareThatWasRefusedAndNotTheShareAccepted) {
  EXPECT_DOUBLE_EQ(delivery_failure_rate({.attempted = 100, .refused = 10}, {.attempted = 200, .refused = 20}), 0.1);
  EXPECT_DOUBLE_EQ(delivery_failure_rate({}, {.attempted = 8}), 0.0);
  EXPECT_DOUBLE_EQ(delivery_failure_rate({}, {.attempted = 8, .refused = 8}), 1.0);
}

TEST(DeliveryFailureRate, IsZeroWithoutAPut) { EXPECT_DOUBLE_EQ(delivery_failure_rate({}, {}), 0.0); }

TEST(DeliveryClumpiness, IsZeroWhenEachPullBringsOneMessage) {
  EXPECT_DOUBLE_EQ(delivery_clumpiness({}, {.pulls = 10, .laden = 10, .received = 10}), 0.0);
}

TEST(DeliveryClumpiness, IsZeroWhenPullsAreMoreThanMessagesThatComeSingly) {
  EXPECT_DOUBLE_EQ(delivery_clumpiness({}, {.pulls = 100, .laden = 10, .received = 10}), 0.0);
}

TEST(DeliveryClumpiness, GrowsWhenMessagesComeTogether) {
  EXPECT_DOUBLE_EQ(delivery_clumpiness({}, {.pulls = 10, .laden = 2, .received = 10}), 0.8);
}

TEST(DeliveryClumpiness, IsZeroWhenNothingCame) {
  EXPECT_DOUBLE_EQ(delivery_clumpiness({}, {.pulls = 10}), 0.0);
  EXPECT_DOUBLE_EQ(delivery_clumpiness({}, {}), 0.0);
}

TEST(EveryMetric, IsNeverNanNegativeOrOutOfRangeWhateverTheCounts) {
  std::mt19937_64 generator(20260101);
  const auto count = [&] { return generator() % 4 == 0 ? generator() : generator() % 5; };
  for (int round = 0; round < 100'000; ++round) {
    const WorkerObservation a{static_cast<std::int64_t>(count()), count()};
    const WorkerObservation b{static_cast<std::int64_t>(count()), count()};
    const InletObservation in_a{count(), count(), 0, 0}, in_b{count(), count(), 0, 0};
    const OutletObservation out_a{count(), count(), count(), 0, count()}, out_b{count(), count(), count(), 0, count()};
    for (const double value : {simstep_period_ns(a, b), simstep_latency_updates(a, b, out_a, out_b, 0),
                               walltime_latency_ns(a, b, out_a, out_b), delivery_failure_rate(in_a, in_b),
                               delivery_clumpiness(out_a, out_b)})
      ASSERT_TRUE(std::isfinite(value) && value >= 0.0) << "round " << round;
    ASSERT_LE(delivery_failure_rate(in_a, in_b), 1.0);
    ASSERT_LE(delivery_clumpiness(out_a, out_b), 1.0);
  }
}

}  // namespace
}  // namespace laxity
