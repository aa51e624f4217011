// Tuning on machines whose speeds are known: what is faster is picked, what is chance is not.
#include "laxity/timewarp/tuning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "laxity/random.hpp"

namespace laxity::timewarp {
namespace {

Engine two_threads() {
  Engine engine;
  engine.options.threads = 2;
  return engine;
}

TEST(Tuning, KeepsWhatIsAtHandWhenAllIsChance) {
  SeededRandom random(1);
  int kept = 0;
  for (int turn = 0; turn < 200; ++turn) {
    const auto measure = [&](const Engine&) { return 1e6 * (1 + 0.3 * random.unit()); };
    const Engine found = tune(two_threads(), measure, 7).engine;
    kept += found.queue == Queue::bucket && found.options.worker.turn == two_threads().options.worker.turn;
  }
  EXPECT_GT(kept, 180);
}

TEST(Tuning, FindsWhatIsFasterInEveryPart) {
  SeededRandom random(3);
  const auto measure = [&](const Engine& engine) {
    double rate = 1e6 * (1 + 0.1 * random.unit());
    if (engine.sequential) return rate / 10;
    if (engine.queue == Queue::heap) rate *= 0.5;
    if (engine.exchange == ExchangeKind::lock_free) rate *= 1.4;
    if (engine.queues == 2) rate *= 1.2;
    if (engine.options.worker.optimism == Optimism::none) rate *= 1.5;
    if (engine.options.worker.gvt_interval == 1024) rate *= 1.3;
    if (engine.options.worker.turn == 128) rate *= 1.3;
    return rate;
  };
  const Tuning tuning = tune(two_threads(), measure, 7);
  EXPECT_EQ(tuning.engine.queue, Queue::bucket);
  EXPECT_EQ(tuning.engine.exchange, ExchangeKind::lock_free);
  EXPECT_EQ(tuning.engine.queues, 2U);
  EXPECT_EQ(tuning.engine.options.worker.optimism, Optimism::none);
  EXPECT_EQ(tuning.engine.options.worker.gvt_interval, 1024U);
  EXPECT_EQ(tuning.engine.options.worker.turn, 128U);
  EXPECT_FALSE(tuning.engine.sequential);
  EXPECT_NEAR(tuning.rate, 1.05e6 * 1.4 * 1.2 * 1.5 * 1.3 * 1.3, 0.4e6);
}

TEST(Tuning, SaysWhenOneThreadIsBest) {
  const auto measure = [](const Engine& engine) { return engine.sequential ? 2e6 : 1e6; };
  const Tuning tuning = tune(two_threads(), measure, 3);
  EXPECT_TRUE(tuning.engine.sequential);
  EXPECT_EQ(words_of(tuning.steps.back()), "team: sequential instead of 2t; the rates of the others: 2t 50 %, 2p 50 %");
}

TEST(Tuning, TriesOnlyEnginesThatExist) {
  for (const int processes : {0, 2}) {
    for (const Queue faster : {Queue::bucket, Queue::ladder}) {
      Engine start = two_threads();
      if (processes > 0) start.options = {.threads = 1, .processes = processes};
      int runs = 0;
      const auto measure = [&](const Engine& engine) {
        ++runs;
        check(engine, 100);
        return engine.queue == faster ? 2e6 : 1e6;
      };
      const Tuning tuning = tune(start, measure, 2);
      EXPECT_EQ(tuning.engine.queue, faster);
      EXPECT_LE(runs, runs_of_tuning(start, 2));
    }
  }
}

TEST(Tuning, RunsTheChoicesOfAPartInTurns) {
  std::vector<std::string> order;
  const auto measure = [&](const Engine& engine) {
    if (order.size() < 10) order.emplace_back(name_of(engine.queue));
    return 1.0;
  };
  static_cast<void>(tune(two_threads(), measure, 2));
  EXPECT_TRUE(std::equal(order.begin(), order.begin() + 5, order.begin() + 5));
  EXPECT_EQ(std::set<std::string>(order.begin(), order.begin() + 5).size(), 5U);
}

TEST(Tuning, EnginesThatNeverFinishAnythingAreNotPicked) {
  const auto measure = [](const Engine& engine) { return engine.queue == Queue::bucket ? 1e6 : 0.0; };
  EXPECT_EQ(tune(two_threads(), measure, 3).engine.queue, Queue::bucket);
  EXPECT_FALSE(tune(
                   two_threads(), [](const Engine&) { return 0.0; }, 3)
                   .engine.sequential);
}

}  // namespace
}  // namespace laxity::timewarp
