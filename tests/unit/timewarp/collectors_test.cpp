// Collectors of committed events, and the callback at GVT.
#include "laxity/timewarp/collectors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/timewarp/comparison.hpp"
#include "laxity/timewarp/partition.hpp"
#include "laxity/timewarp/replay/replayed_run.hpp"
#include "laxity/timewarp/run.hpp"
#include "laxity/timewarp/sequential.hpp"

namespace laxity::timewarp {
namespace {

TEST(Tally, HasMeanVarianceAndExtremes) {
  Tally tally, other;
  EXPECT_TRUE(std::isnan(tally.mean()));
  for (const double value : {4.0, 7.0, 13.0}) tally.add(value);
  other.add(16.0);
  tally.merge(other);
  tally.merge({});
  EXPECT_EQ(tally.count(), 4U);
  EXPECT_EQ(tally.sum(), 40);
  EXPECT_EQ(tally.mean(), 10);
  EXPECT_EQ(tally.variance(), 30);
  EXPECT_EQ(tally.min(), 4);
  EXPECT_EQ(tally.max(), 16);
  EXPECT_THROW(tally.add(std::numeric_limits<double>::quiet_NaN()), UsageError);
  EXPECT_THROW(tally.add(1e141), UsageError);
}

// Where the mean is far greater than the spread, sums of squares in doubles lose all digits.
TEST(Tally, VarianceLosesNoDigits) {
  Tally far;
  for (const double value : {4.0, 7.0, 13.0, 16.0}) far.add(1e15 + value);
  EXPECT_EQ(far.variance(), 30);
  Tally equal;
  for (int i = 0; i < 7; ++i) equal.add(0.1);
  EXPECT_EQ(equal.mean(), 0.1);
  EXPECT_EQ(equal.variance(), 0);
}

TEST(Histogram, CountsFromTheLowerBoundToBelowTheUpper) {
  Histogram<4> histogram(-1, 1), other(-1, 1);
  for (const double value : {-1.5, -1.0, -0.51, -0.5, 0.0, 0.99}) histogram.add(value);
  other.add(1.0);
  other.add(std::numeric_limits<double>::infinity());
  histogram.merge(other);
  EXPECT_EQ(histogram.below(), 1U);
  EXPECT_EQ(histogram.above(), 2U);
  const std::vector<std::pair<double, double>> points = {{-1, 2}, {-0.5, 1}, {0, 1}, {0.5, 1}};
  EXPECT_EQ(histogram.points(), points);
  EXPECT_EQ(histogram.total(), 8U);
  EXPECT_THROW(histogram.merge(Histogram<4>(-1, 2)), UsageError);
  EXPECT_THROW(histogram.add(std::numeric_limits<double>::quiet_NaN()), UsageError);
  EXPECT_THROW(Histogram<4>(1, 1), UsageError);
}

TEST(TimeSeries, SumsByIntervalAndIsReported) {
  TimeSeries<4> counts(8), other(8);
  counts.add(0);
  counts.add(1.99);
  counts.add(2, -3);
  other.add(7.9, 10);
  other.add(8);
  counts.merge(other);
  TimeSeries<2, double> amounts(1);
  for (const double amount : {1e300, 1.0, -1e300}) amounts.add(0.75, amount);
  EXPECT_EQ(amounts[1], 1);
  EXPECT_THROW(counts.merge(TimeSeries<4>(9)), UsageError);
  EXPECT_THROW(counts.add(-1), UsageError);
  EXPECT_THROW(TimeSeries<4>(0), UsageError);
  ComparedRun run;
  run.report("customers", "minute", counts);
  const std::vector<std::pair<double, double>> expected = {{0, 2}, {2, -3}, {4, 0}, {6, 11}};
  ASSERT_EQ(run.quantities.at(0).points.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(run.quantities[0].points[i].x, expected[i].first);
    EXPECT_EQ(run.quantities[0].points[i].value, expected[i].second);
  }
}

// Collects its events, and listens to GVT. That rounded sums would differ between engines is seen in
// tests/property/timewarp_random_model.hpp, with every engine.
struct Listener {
  using Time = double;
  struct State {};
  struct Event {
    std::uint64_t hops = 0;
  };
  struct Collectors {
    std::uint64_t events = 0;
    void merge(const Collectors& other) { events += other.events; }
  };
  struct Call {
    int worker;
    double gvt;
    std::uint64_t committed;
  };
  struct Place {
    LpId lp;
    double time;
  };
  std::mutex* mutex;
  std::vector<Call>* calls;
  std::vector<Place>* places = nullptr;
  bool fails = false;

  void init(Context<Listener>& lp) const { lp.send(lp.self(), 1 + lp.random().unit(), {}); }
  void handle(Context<Listener>& lp, const Event& event) const {
    lp.send(lp.random().below(lp.logical_processes()), 0.01 + lp.random().unit(), {event.hops + 1});
  }
  void commit(const Committed<Listener>& lp, const Event&) const {
    ++lp.collectors().events;
    if (places != nullptr) places->push_back({lp.self(), lp.now()});
  }
  void at_gvt(const GvtReached<Listener>& here) const {
    if (fails) throw Error("the screen is off");
    const std::lock_guard lock(*mutex);
    calls->push_back({here.worker, here.gvt, here.collectors.events});
  }
};

TEST(AtGvt, EveryWorkerHasCommittedItsEventsBelowGvt) {
  std::mutex mutex;
  std::vector<Listener::Call> calls;
  std::vector<Listener::Place> places;
  Simulation<Listener> simulation{{&mutex, &calls, &places}, {6, 60.0}, 1};
  const auto alone = run_sequential(simulation);
  EXPECT_EQ(alone.collectors.events, alone.total().committed);
  EXPECT_TRUE(calls.empty()) << "fewer than 65536 events";
  simulation.model.places = nullptr;
  const auto expect_calls = [&](int workers, const Result<Listener>& result) {
    EXPECT_EQ(result.collectors.events, alone.collectors.events);
    EXPECT_FALSE(calls.empty());
    const Partition partition(6, workers);
    std::vector<double> gvt(static_cast<std::size_t>(workers));
    for (const Listener::Call& call : calls) {
      double& before = gvt.at(static_cast<std::size_t>(call.worker));
      EXPECT_LE(before, call.gvt);
      before = call.gvt;
      std::uint64_t below = 0;
      for (const Listener::Place& place : places)
        below += partition.worker_of(place.lp) == call.worker && place.time < call.gvt;
      EXPECT_GE(call.committed, below);
    }
    calls.clear();
  };
  expect_calls(2, run(simulation, {.threads = 2, .worker = {.gvt_interval = 16, .max_events = 4096}}));
  for (std::uint64_t schedule = 1; schedule <= 5; ++schedule) {
    ReplayOptions options;
    options.workers = 3;
    options.seed = schedule;
    options.worker = {.gvt_interval = 16, .max_events = 4096};
    expect_calls(3, run_replayed(simulation, options));
  }
}

TEST(AtGvt, IsCalledInLongSequentialRunsAndItsErrorsNameThePlace) {
  std::mutex mutex;
  std::vector<Listener::Call> calls;
  Simulation<Listener> simulation{{&mutex, &calls}, {100, 400.0}, 1};
  const auto result = run_sequential(simulation);
  ASSERT_EQ(calls.size(), result.total().committed / 65536);
  ASSERT_FALSE(calls.empty());
  EXPECT_EQ(calls[0].committed, 65536U);
  simulation.model.fails = true;
  try {
    static_cast<void>(run_sequential(simulation));
    FAIL() << "no error";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("at_gvt() of worker 0 at time "), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("the screen is off"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace laxity::timewarp
