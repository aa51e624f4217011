#include "laxity/metrics/observer.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/metrics/quality_of_service.hpp"
#include "laxity/metrics/worker_probe.hpp"
#include "table_in_memory.hpp"

namespace laxity {
namespace {

constexpr ObserverOptions soon{.first_after_ns = 100, .window_ns = 1'000, .patience_ns = 50};

TEST(Observer, TakesNothingBeforeItsTimeAndThenOneSnapshotAWindow) {
  const TableInMemory memory(1, 4);
  memory.table.link({0, 0, 0, 0}, NeighborKind::same_thread, 1);
  WorkerProbe probe(memory.table, 0);
  ManualClock clock(0);
  Observer observer(memory.table, soon, 0);
  int answers = 0;
  for (std::uint64_t last = 0; clock.now_ns() < 3'200; clock.advance_ns(10)) {
    observer.poll(clock.now_ns());
    probe.update_done(clock);
    const std::uint64_t answered = memory.table.worker(0).answered.load();
    if (answered == 1) {
      EXPECT_GE(clock.now_ns(), 100);
    }
    answers += answered != last;
    last = answered;
  }
  EXPECT_EQ(answers, 4);  // at 100, 1100, 2100 and 3100
  EXPECT_EQ(observer.snapshots_taken(), 3);
  for (const LinkSnapshot& snapshot : observer.snapshots()) {
    EXPECT_TRUE(snapshot.answered);
    EXPECT_EQ(snapshot.receiver_after.time_ns - snapshot.receiver_before.time_ns, 1'000);
    EXPECT_EQ(snapshot.receiver_after.updates - snapshot.receiver_before.updates, 100U);
  }
}

TEST(Observer, LeavesPausesBetweenSnapshotsWhenAskedTo) {
  const TableInMemory memory(1, 4);
  memory.table.link({0, 0, 0, 0}, NeighborKind::same_thread, 1);
  WorkerProbe probe(memory.table, 0);
  ManualClock clock(0);
  Observer observer(memory.table, {.first_after_ns = 100, .window_ns = 50, .interval_ns = 1'000, .patience_ns = 50}, 0);
  for (; clock.now_ns() < 2'500; clock.advance_ns(10)) {
    observer.poll(clock.now_ns());
    probe.update_done(clock);
  }
  ASSERT_EQ(observer.snapshots_taken(), 3);
  for (int number = 0; number < 3; ++number) {
    const LinkSnapshot& snapshot = observer.snapshots()[static_cast<std::size_t>(number)];
    EXPECT_EQ(snapshot.snapshot, number);
    EXPECT_EQ(snapshot.receiver_before.time_ns, 100 + number * 1'000);
    EXPECT_EQ(snapshot.receiver_after.time_ns, 150 + number * 1'000);
  }
}

TEST(Observer, LeavesTheNumbersOfWindowsFreeInWhichItStoodStillItself) {
  const TableInMemory memory(1, 4);
  memory.table.link({0, 0, 0, 0}, NeighborKind::same_thread, 1);
  memory.table.worker(0).state.store(WorkerState::finished);  // nobody is waited for
  for (const std::int64_t pause_ns : {0, 700}) {
    ObserverOptions options = soon;
    if (pause_ns != 0) options = {.first_after_ns = 100, .window_ns = 300, .interval_ns = 1'000, .patience_ns = 50};
    Observer observer(memory.table, options, 0);
    for (std::int64_t now_ns = 0; now_ns < 6'500; now_ns = now_ns == 1'150 ? 4'200 : now_ns + 10) observer.poll(now_ns);
    std::vector<int> numbers;
    for (const LinkSnapshot& snapshot : observer.snapshots()) numbers.push_back(snapshot.snapshot);
    // From 1100 the second one, which ends at 4200; then the fourth and fifth, from 4200 and 5200.
    EXPECT_EQ(numbers, (std::vector<int>{0, 1, 4, 5})) << pause_ns;
  }
}

TEST(Observer, RefusesSnapshotsThatWouldOverlap) {
  const TableInMemory memory(1, 4);
  EXPECT_THROW(Observer(memory.table, {.window_ns = 100, .interval_ns = 100}, 0), UsageError);
}

TEST(Observer, ReadsAWorkerThatDoesNotAnswerAsItStands) {
  const TableInMemory memory(2, 4);
  LinkRow& row = memory.table.link({0, 0, 1, 0}, NeighborKind::thread, 1);
  WorkerProbe lively(memory.table, 1);  // worker 0 is stalled
  ManualClock clock(0);
  Observer observer(memory.table, soon, 0);
  row.inlet.attempted.set(3);
  for (; clock.now_ns() < 1'500; clock.advance_ns(10)) {
    observer.poll(clock.now_ns());
    lively.update_done(clock);
  }
  ASSERT_EQ(observer.snapshots().size(), 1U);
  EXPECT_FALSE(observer.snapshots()[0].answered);
  EXPECT_EQ(observer.snapshots()[0].inlet_before.attempted, 3U);
  EXPECT_EQ(observer.snapshots()[0].inlet_after.attempted, 3U);
}

TEST(Observer, DoesNotWaitForWorkersThatHaveEnded) {
  const TableInMemory memory(1, 4);
  memory.table.link({0, 0, 0, 0}, NeighborKind::same_thread, 1);
  memory.table.worker(0).state.store(WorkerState::killed);
  Observer observer(memory.table, {.first_after_ns = 0, .window_ns = 10, .patience_ns = 1'000'000'000}, 0);
  observer.poll(0);
  observer.poll(10);
  EXPECT_EQ(observer.snapshots_taken(), 1);
}

TEST(Observer, LeavesOutLinksThatHaveNoBeginning) {
  const TableInMemory memory(1, 4);
  memory.table.worker(0).state.store(WorkerState::finished);
  Observer observer(memory.table, {.first_after_ns = 0, .window_ns = 10, .patience_ns = 10}, 0);
  observer.poll(0);
  memory.table.link({0, 0, 0, 0}, NeighborKind::same_thread, 1);
  observer.poll(10);
  EXPECT_TRUE(observer.snapshots().empty());
  observer.poll(20);
  EXPECT_EQ(observer.snapshots().size(), 1U);
}

TEST(Observer, RefusesTimesThatMakeNoSense) {
  const TableInMemory memory(1, 1);
  EXPECT_THROW(Observer(memory.table, {.first_after_ns = 0, .window_ns = 0, .patience_ns = 1}, 0), UsageError);
  EXPECT_THROW(Observer(memory.table, {.first_after_ns = -1, .window_ns = 1, .patience_ns = 1}, 0), UsageError);
}

TEST(SumChannels, AddsTheCountsOfALinkAndKeepsLinksApart) {
  LinkSnapshot one{.snapshot = 0, .key = {0, 0, 1, 0}, .channels = 1, .answered = true};
  one.inlet_after.attempted = 5;
  one.outlet_after.touches = 4;
  LinkSnapshot two = one;
  two.key.channel = 7;
  LinkSnapshot back = one;
  back.key = {0, 1, 0, 0};
  back.answered = false;
  const auto sums = sum_channels({one, two, back});
  ASSERT_EQ(sums.size(), 2U);
  EXPECT_EQ(sums[0].inlet_after.attempted, 10U);
  EXPECT_EQ(sums[0].channels, 2U);
  EXPECT_EQ(sums[0].summed_channels, 2U);
  EXPECT_TRUE(sums[0].answered);
  EXPECT_EQ(sums[1].inlet_after.attempted, 5U);
  EXPECT_FALSE(sums[1].answered);
}

// Two counters that a worker always moves together, between updates never apart: a snapshot that saw a worker in the
// middle of an update would show a difference.
TEST(Observer, SeesCountersAsTheyStandBetweenUpdates) {
  const TableInMemory memory(1, 4);
  LinkRow& row = memory.table.link({0, 0, 0, 0}, NeighborKind::same_thread, 1);
  std::atomic<bool> stop{false};
  std::thread worker([&] {
    WorkerProbe probe(memory.table, 0);
    while (!stop.load(std::memory_order_relaxed)) {
      row.inlet.attempted.add();
      row.outlet.count_pull(1);
      probe.update_done(SteadyClock{});
    }
  });
  const SteadyClock clock;
  Observer observer(memory.table, {.first_after_ns = 0, .window_ns = 100'000, .patience_ns = 10'000'000'000},
                    clock.now_ns());
  while (observer.snapshots_taken() < 200) {
    observer.poll(clock.now_ns());
    std::this_thread::yield();
  }
  stop.store(true);
  worker.join();
  for (const LinkSnapshot& snapshot : observer.snapshots()) {
    ASSERT_TRUE(snapshot.answered);
    ASSERT_EQ(snapshot.inlet_after.attempted, snapshot.outlet_after.pulls);
    ASSERT_EQ(snapshot.inlet_after.attempted, snapshot.receiver_after.updates);
    ASSERT_GE(snapshot.receiver_after.time_ns, snapshot.receiver_before.time_ns);
  }
}

}  // namespace
}  // namespace laxity
