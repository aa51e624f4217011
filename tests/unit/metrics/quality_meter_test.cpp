// What a worker sees of its links, against counts that the test makes up.
#include "laxity/metrics/quality_meter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "laxity/clock/clock.hpp"
#include "laxity/error.hpp"
#include "laxity/random.hpp"
#include "table_in_memory.hpp"

namespace laxity {
namespace {

// Worker 0 of three in a row of which 1 is a thread and 2 on another node.
class SeenByWorker0 : public testing::Test {
 protected:
  SeenByWorker0() { watch(); }
  void watch() { meter.watch(links_of_worker(memory.table, 0)); }
  const LinkQuality& link(std::uint32_t neighbor) const {
    for (const LinkQuality& seen : meter.quality().links)
      if (seen.neighbor == neighbor) return seen;
    throw UsageError("no such link");
  }

  TableInMemory memory{3, 8};
  LinkRow& to_1 = memory.table.link({0, 0, 1, 0}, NeighborKind::thread, 1);
  LinkRow& from_1 = memory.table.link({0, 1, 0, 0}, NeighborKind::thread, 1);
  LinkRow& to_2 = memory.table.link({0, 0, 2, 0}, NeighborKind::host, 1);
  LinkRow& inside = memory.table.link({0, 0, 0, 0}, NeighborKind::same_thread, 1);
  LinkRow& of_others = memory.table.link({0, 2, 1, 0}, NeighborKind::host, 1);
  QualityMeter meter{1000};
};

TEST_F(SeenByWorker0, IsZeroBeforeTheFirstWindowHasPassed) {
  meter.update(0, 0);
  to_1.inlet.attempted.set(10);
  meter.update(5, 999);
  EXPECT_EQ(meter.quality().window, 0U);
  EXPECT_EQ(meter.quality().simstep_period_ns, 0);
  ASSERT_EQ(meter.quality().links.size(), 2U) << "neither the links inside nor those between others";
  EXPECT_EQ(link(1).delivery_failure_rate, 0);
}

TEST_F(SeenByWorker0, IsTheHandComputedHistoryOfTheWindow) {
  to_1.inlet.attempted.set(100);  // what lies before the window does not count
  to_1.inlet.refused.set(100);
  from_1.outlet.touches.set(50);
  memory.table.worker(1).updates.set(7);
  meter.update(0, 10'000);
  to_1.inlet.attempted.add(20);
  to_1.inlet.refused.add(5);
  from_1.outlet.empty.add(6);
  for (int pull = 0; pull < 4; ++pull) from_1.outlet.count_pull(2);
  from_1.outlet.touches.add(2);
  memory.table.worker(1).updates.add(4);
  to_2.inlet.attempted.add(3);
  meter.update(10, 12'000);
  EXPECT_EQ(meter.quality().window, 1U);
  EXPECT_DOUBLE_EQ(meter.quality().simstep_period_ns, 200);
  EXPECT_DOUBLE_EQ(link(1).delivery_failure_rate, 0.25);
  EXPECT_DOUBLE_EQ(link(1).delivery_clumpiness, 0.5) << "8 messages in 4 of 10 pulls";
  EXPECT_DOUBLE_EQ(link(1).simstep_latency_updates, 5);
  EXPECT_DOUBLE_EQ(link(1).walltime_latency_ns, 1000);
  EXPECT_DOUBLE_EQ(link(1).neighbor_period_ns, 500);
  EXPECT_EQ(link(2).neighbor_kind, NeighborKind::host);
  EXPECT_EQ(link(2).neighbor_period_ns, 0) << "nobody knows";
  EXPECT_EQ(link(2).simstep_latency_updates, 0) << "nothing comes from there";

  meter.update(20, 13'000);
  EXPECT_EQ(meter.quality().window, 2U);
  EXPECT_EQ(link(1).delivery_failure_rate, 0) << "a window in which nothing was sent";
}

TEST_F(SeenByWorker0, ChannelsOfALinkAreSummedAndTheirTouchesAveraged) {
  LinkRow& second = memory.table.link({0, 1, 0, 1}, NeighborKind::thread, 1);
  watch();
  meter.update(0, 0);
  from_1.outlet.touches.add(3);
  second.outlet.touches.add(5);
  meter.update(12, 1200);
  EXPECT_DOUBLE_EQ(link(1).simstep_latency_updates, 3);
}

TEST_F(SeenByWorker0, LooksAtTheClockAsOftenAsTheWindowNeeds) {
  int looks = 0;
  std::int64_t now_ns = 0;
  const auto run = [&](std::uint64_t from, std::uint64_t until, std::int64_t period_ns) {
    for (std::uint64_t update = from; update < until; ++update, now_ns += period_ns)
      if (meter.is_due(update)) meter.update(update, now_ns), ++looks;
  };
  run(0, 10'000, 10);  // a hundred windows
  EXPECT_EQ(meter.quality().window, 99U);
  EXPECT_LE(looks, 2 * 100 + 2);
  EXPECT_DOUBLE_EQ(meter.quality().simstep_period_ns, 10);
  run(10'000, 10'300, 100'000);  // a window after each update, once the slowness was seen
  EXPECT_GE(meter.quality().window, 99U + 190U);
  EXPECT_DOUBLE_EQ(meter.quality().simstep_period_ns, 100'000);
}

TEST_F(SeenByWorker0, IsAlwaysFiniteWhateverIsCounted) {
  SeededRandom random(3);
  std::uint64_t updates = 0;
  std::int64_t now_ns = 0;
  for (int look = 0; look < 2000; ++look) {
    const auto some = [&] { return random.below(4) == 0 ? std::uint64_t{random.below(1U << 30)} : 0; };
    to_1.inlet.attempted.add(some());
    to_1.inlet.refused.add(some());
    from_1.outlet.empty.add(some());
    from_1.outlet.laden.add(some());
    from_1.outlet.touches.add(some());
    memory.table.worker(1).updates.add(some());
    meter.update(updates += some(), now_ns += static_cast<std::int64_t>(some()));
    ASSERT_TRUE(std::isfinite(meter.quality().simstep_period_ns));
    for (const LinkQuality& seen : meter.quality().links)
      for (const double value : {seen.delivery_failure_rate, seen.delivery_clumpiness, seen.simstep_latency_updates,
                                 seen.walltime_latency_ns, seen.neighbor_period_ns})
        ASSERT_TRUE(std::isfinite(value) && value >= 0);
  }
  EXPECT_GT(meter.quality().window, 100U);
}

TEST(QualityMeter, RefusesAWindowOfNoLength) { EXPECT_THROW(QualityMeter(0), UsageError); }

}  // namespace
}  // namespace laxity
