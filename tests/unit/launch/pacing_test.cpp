#include "laxity/launch/pacing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/launch/team.hpp"

namespace laxity {
namespace {

constexpr std::int64_t ms = 1'000'000;

TEST(PacingMode, HasANumberAndAName) {
  for (const PacingMode mode : all_modes) {
    EXPECT_EQ(mode_of(name_of(mode)), mode);
    EXPECT_EQ(mode_of(std::to_string(static_cast<int>(mode))), mode);
    EXPECT_EQ(communicates(mode), mode != PacingMode::isolated);
  }
  EXPECT_EQ(mode_of("every-update"), PacingMode::every_update);
  EXPECT_EQ(mode_of("best-effort"), PacingMode::none);
  EXPECT_EQ(mode_of("best_effort"), PacingMode::none);
  for (const char* const text : {"", "5", "-1", "03", "rolling ", "barrier"})
    EXPECT_THROW((void)mode_of(text), UsageError);
}

TEST(Pacing, RefusesTimesThatAreNotPositive) {
  EXPECT_THROW(check({.mode = PacingMode::rolling, .rolling_ns = 0}), UsageError);
  EXPECT_THROW(check({.mode = PacingMode::fixed, .fixed_ns = -1}), UsageError);
}

// One member and a manual clock: when does it synchronize?
class Alone : public testing::Test {
 protected:
  Segment memory_ = Segment::private_memory(Barrier::bytes_needed(1));
  Barrier barrier_ = Barrier::create(memory_.data(), 1, WaitStyle::yield);
  ManualClock clock_{10'500 * ms};

  std::uint64_t synchronizations_of(PacingMode mode, int updates, std::int64_t update_ns) {
    Pacer<ManualClock> pacer({.mode = mode, .rolling_ns = 10 * ms, .fixed_ns = 1'000 * ms}, {barrier_, 0}, clock_);
    for (int update = 0; update < updates; ++update) {
      clock_.advance_ns(update_ns);
      EXPECT_TRUE(pacer.after_update());
    }
    return pacer.synchronizations();
  }
};

TEST_F(Alone, EveryUpdateSynchronizesAfterEachUpdate) {
  EXPECT_EQ(synchronizations_of(PacingMode::every_update, 100, 1), 100U);
}

TEST_F(Alone, RollingMeetsWhenTheTimeHasPassedSinceTheLastMeeting) {
  EXPECT_EQ(synchronizations_of(PacingMode::rolling, 100, ms), 10U);
}

TEST_F(Alone, RollingCountsFromTheEndOfTheLastMeetingAndNotFromAGrid) {
  EXPECT_EQ(synchronizations_of(PacingMode::rolling, 100, 7 * ms), 50U);  // 10 ms end in the second update of 7 ms
}

TEST_F(Alone, FixedMeetsAtEverySecondOfTheEpoch) {
  EXPECT_EQ(synchronizations_of(PacingMode::fixed, 3'000, ms), 3U);  // from 10.5 s to 13.5 s: 11, 12, 13
}

TEST_F(Alone, FixedSynchronizesOnceWhenAnUpdateSpansSeveralPoints) {
  EXPECT_EQ(synchronizations_of(PacingMode::fixed, 2, 3'000 * ms), 2U);
}

TEST_F(Alone, NoneAndIsolatedNeverMeet) {
  EXPECT_EQ(synchronizations_of(PacingMode::none, 100, 1'000 * ms), 0U);
  EXPECT_EQ(synchronizations_of(PacingMode::isolated, 100, 1'000 * ms), 0U);
}

// Two workers that start in different seconds, the first before second 11, the other after it. Each has its own clock, so
// that their times can differ.
TEST(Fixed, StartsStaggeredOverASecondBoundaryNeitherDeadlockNorMispair) {
  const Segment memory = Segment::private_memory(Barrier::bytes_needed(2));
  const Barrier barrier = Barrier::create(memory.data(), 2, WaitStyle::yield);
  ManualClock early_clock(10'900 * ms), late_clock(11'100 * ms);
  const PacingOptions options{.mode = PacingMode::fixed};

  std::uint64_t early_synchronizations = 0;
  std::thread early([&] {
    Pacer<ManualClock> pacer(options, {barrier, 0}, early_clock);
    early_clock.set_ns(11'050 * ms);
    EXPECT_TRUE(pacer.after_update());  // second 11: the other one starts after it and counts as having reached it
    early_clock.set_ns(12'010 * ms);
    EXPECT_TRUE(pacer.after_update());  // second 12
    early_clock.set_ns(14'010 * ms);
    EXPECT_TRUE(pacer.after_update());  // second 13 is skipped; waits at 14
    early_synchronizations = pacer.synchronizations();
  });
  std::uint64_t late_synchronizations = 0;
  std::thread late([&] {
    Pacer<ManualClock> pacer(options, {barrier, 1}, late_clock);
    EXPECT_TRUE(pacer.after_update());  // still second 11: nothing to wait for
    late_clock.set_ns(12'000 * ms);
    EXPECT_TRUE(pacer.after_update());  // second 12
    late_clock.set_ns(13'000 * ms);
    EXPECT_TRUE(pacer.after_update());  // waits until the other one has reached 14
    late_clock.set_ns(14'000 * ms);
    EXPECT_TRUE(pacer.after_update());
    late_synchronizations = pacer.synchronizations();
  });
  early.join();
  late.join();
  EXPECT_EQ(early_synchronizations, 3U);
  EXPECT_EQ(late_synchronizations, 3U);
}

TEST(Fixed, NobodyWaitsAtAPointBeforeWhichAnotherHasStarted) {
  const Segment memory = Segment::private_memory(Barrier::bytes_needed(2));
  const Barrier barrier = Barrier::create(memory.data(), 2, WaitStyle::yield);
  ManualClock early_clock(10'900 * ms);
  Pacer<ManualClock> early({.mode = PacingMode::fixed}, {barrier, 0}, early_clock);
  const Pacer<ManualClock> late({.mode = PacingMode::fixed}, {barrier, 1}, ManualClock(11'100 * ms));
  std::atomic<bool> passed{false};
  std::thread waiter([&] {
    early_clock.set_ns(11'050 * ms);
    passed = early.after_update();
  });
  for (int turn = 0; turn < 5'000 && !passed.load(); ++turn) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(passed.load());
  barrier.break_up();  // ends the wait
  waiter.join();
}

TEST(Fixed, NobodyPassesAPointThatAnotherHasNotReached) {
  const Segment memory = Segment::private_memory(Barrier::bytes_needed(2));
  const Barrier barrier = Barrier::create(memory.data(), 2, WaitStyle::yield);
  ManualClock here(10'000 * ms), there(10'000 * ms);
  std::optional<Pacer<ManualClock>> other;
  other.emplace(PacingOptions{.mode = PacingMode::fixed}, BarrierMember{barrier, 1}, there);
  std::atomic<bool> passed{false};
  std::thread waiter([&] {
    Pacer<ManualClock> pacer({.mode = PacingMode::fixed}, {barrier, 0}, here);
    here.set_ns(11'000 * ms);
    passed = pacer.after_update();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(passed.load());
  other.reset();  // leaves the barrier
  waiter.join();
  EXPECT_TRUE(passed.load());
}

// The modes in real teams. The counts of the workers are in the arena.
struct Tally {
  std::uint64_t updates;
  std::uint64_t synchronizations;
  std::int64_t shortest_ns;  // from the end of a synchronization to the end of the next one
};

struct Shape {
  int threads;
  int processes;
};

class ModesInEveryShape : public testing::TestWithParam<Shape> {
 protected:
  std::vector<Tally> run(const PacingOptions& pacing, std::chrono::milliseconds duration) {
    Team team({.threads = GetParam().threads,
               .processes = GetParam().processes,
               .arena_bytes = 1 << 16,
               .max_blocks = 64,
               .max_links = 8,
               .tick = std::chrono::milliseconds(2)});
    const auto tally_of = [&](int worker) -> Tally& {
      return team.arena().object<Tally>({"tally", static_cast<std::uint32_t>(worker)});
    };
    for (int worker = 0; worker < team.size(); ++worker) (void)tally_of(worker);
    const auto start = std::chrono::steady_clock::now();
    const TeamReport report = team.run(
        [&](Worker& worker) {
          if (!worker.barrier()) return;
          Pacer pacer(pacing, worker.pacing_barrier());
          bool whole = true;
          std::uint64_t synchronizations = 0;
          std::int64_t last_ns = 0, shortest_ns = std::numeric_limits<std::int64_t>::max();
          while (whole && !worker.stop_requested()) {
            worker.update_done();
            whole = pacer.after_update();
            if (std::exchange(synchronizations, pacer.synchronizations()) == pacer.synchronizations()) continue;
            const std::int64_t now_ns = SteadyClock{}.now_ns();
            if (last_ns != 0) shortest_ns = std::min(shortest_ns, now_ns - last_ns);
            last_ns = now_ns;
          }
          tally_of(worker.id()) = {worker.updates(), pacer.synchronizations(), shortest_ns};
        },
        [&] {
          if (std::chrono::steady_clock::now() - start > duration) team.request_stop();
        });
    EXPECT_TRUE(report.all_finished()) << report.losses();
    std::vector<Tally> tallies;
    for (int worker = 0; worker < team.size(); ++worker) tallies.push_back(tally_of(worker));
    return tallies;
  }
};
INSTANTIATE_TEST_SUITE_P(Modes, ModesInEveryShape, testing::Values(Shape{2, 0}, Shape{1, 2}, Shape{2, 2}, Shape{3, 0}),
                         [](const auto& instance) {
                           return shape_of({.threads = instance.param.threads, .processes = instance.param.processes});
                         });

TEST_P(ModesInEveryShape, EveryUpdateKeepsWorkersWithinOneUpdateOfEachOther) {
  const auto tallies = run({.mode = PacingMode::every_update}, std::chrono::milliseconds(50));
  for (const Tally& tally : tallies) {
    EXPECT_EQ(tally.synchronizations, tally.updates);
    EXPECT_GT(tally.updates, 0U);
    // A worker that sees the request to stop leaves, so the others may do one more update until they see it.
    EXPECT_NEAR(static_cast<double>(tally.updates), static_cast<double>(tallies[0].updates), 2.0);
  }
}

// Modes 1 and 2 must not behave like mode 3: the number of synchronizations is that which fits into the time.
TEST_P(ModesInEveryShape, RollingMeetsAndFarLessOftenThanItUpdates) {
  const auto tallies = run({.mode = PacingMode::rolling, .rolling_ns = 50 * ms}, std::chrono::milliseconds(600));
  for (const Tally& tally : tallies) {
    EXPECT_GE(tally.synchronizations, 1U);
    EXPECT_GT(tally.updates, 10 * tally.synchronizations);
    EXPECT_NEAR(static_cast<double>(tally.synchronizations), static_cast<double>(tallies[0].synchronizations), 1.0);
    EXPECT_GT(tally.shortest_ns, 25 * ms);
    EXPECT_LT(tally.shortest_ns, 250 * ms);  // on a busy machine some are longer, but not all
  }
}

TEST_P(ModesInEveryShape, FixedMeetsAtAgreedPoints) {
  const auto tallies = run({.mode = PacingMode::fixed, .fixed_ns = 50 * ms}, std::chrono::milliseconds(600));
  for (const Tally& tally : tallies) {
    EXPECT_GE(tally.synchronizations, 1U);
    EXPECT_GT(tally.updates, 10 * tally.synchronizations);
    EXPECT_LT(tally.shortest_ns, 250 * ms);
  }
}

TEST_P(ModesInEveryShape, NoneNeverMeets) {
  for (const Tally& tally : run({.mode = PacingMode::none}, std::chrono::milliseconds(20)))
    EXPECT_EQ(tally.synchronizations, 0U);
}

}  // namespace
}  // namespace laxity
