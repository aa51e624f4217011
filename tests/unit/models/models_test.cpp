// The models beside theory, and every engine beside the sequential one.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/random.hpp"
#include "laxity/timewarp/model_check.hpp"
#include "tests/effort.hpp"
#include "workloads/models/epidemic_run.hpp"
#include "workloads/models/pcs_run.hpp"
#include "workloads/models/queueing_run.hpp"

namespace laxity::models {
namespace {

using timewarp::Engine;

Engine sequential() {
  Engine engine;
  engine.sequential = true;
  engine.options.pin = PinPolicy::never;
  return engine;
}

// Sums of a comparison.
struct Sums {
  double simulated = 0;
  double expected = 0;
  double worst = 0;  // relative
};

Sums sums_of(const timewarp::ComparedRun& run) {
  Sums sums;
  for (const timewarp::Compared& point : run.comparisons.at(0).points) {
    sums.simulated += point.simulated;
    sums.expected += point.expected;
    sums.worst = std::max(sums.worst, std::abs(point.simulated / point.expected - 1));
  }
  return sums;
}

TEST(Queueing, StationsHoldAsManyCustomersAsJacksonsTheoremSays) {
  const QueueingOptions options{.stations = 20, .warm_up = 500};
  const timewarp::ComparedRun run = run_queueing(options, 8000, 1, sequential());
  const auto& points = run.comparisons.at(0).points;
  EXPECT_DOUBLE_EQ(points.front().expected, 0.25);
  EXPECT_DOUBLE_EQ(points.back().expected, 4.0);
  const Sums sums = sums_of(run);
  EXPECT_NEAR(sums.simulated / sums.expected, 1, 0.04);
  EXPECT_LT(sums.worst, 0.15);
  for (const timewarp::Compared& point : run.comparisons.at(1).points)
    EXPECT_NEAR(point.simulated, point.expected, 0.01) << point.x << " customers found";
}

TEST(Queueing, WithoutWalksEveryStationIsAQueueOfItsOwn) {
  const QueueingOptions options{
      .stations = 10, .routing_probability = 0, .min_load = 0.5, .max_load = 0.5, .warm_up = 500};
  const Sums sums = sums_of(run_queueing(options, 8000, 2, sequential()));
  EXPECT_DOUBLE_EQ(sums.expected, 10);
  EXPECT_NEAR(sums.simulated, 10, 0.4);
}

TEST(Erlang, FormulaGivesTheTabledValues) {
  EXPECT_NEAR(erlang_b(1, 1), 0.5, 1e-12);
  EXPECT_NEAR(erlang_b(10, 5), 0.018385, 1e-6);
  EXPECT_NEAR(erlang_b(20, 15), 0.045593, 1e-6);
  EXPECT_EQ(erlang_b(0, 3), 1);
}

TEST(Pcs, CellsThatNobodyLeavesBlockAsErlangSays) {
  PcsOptions options{.width = 8, .height = 16};
  options.dwell_time = std::numeric_limits<double>::infinity();
  const timewarp::ComparedRun run = run_pcs(options, 3000, 1, sequential());
  EXPECT_DOUBLE_EQ(run.comparisons.at(0).points.at(0).expected, erlang_b(10, 4));
  EXPECT_NEAR(run.comparisons.at(0).points.at(4).expected, erlang_b(10, 9), 1e-12);
  const Sums sums = sums_of(run);
  EXPECT_NEAR(sums.simulated / sums.expected, 1, 0.02);
  EXPECT_LT(sums.worst, 0.25) << "in the left column few calls are blocked";
  // Arrivals see time averages: a cell of load a has a (1 - B) busy channels; cells have calls in proportion to a.
  double found = 0, calls = 0;
  for (const double load : {4.0, 5.25, 6.5, 7.75, 9.0, 7.75, 6.5, 5.25}) {
    found += load * load * (1 - erlang_b(10, load));
    calls += load;
  }
  EXPECT_NEAR(run.quantities.at(0).points.at(0).value, found / calls, 0.02);
}

TEST(Pcs, WithMovementTheEquationsOfTheCellsHoldClosely) {
  const Sums sums = sums_of(run_pcs({.width = 8, .height = 16}, 3000, 1, sequential()));
  EXPECT_NEAR(sums.simulated / sums.expected, 1, 0.06);
}

TEST(Epidemic, TendsToItsDifferentialEquations) {
  const EpidemicOptions options;
  double before = 1;
  for (const std::uint32_t population : {500U, 8000U}) {
    const World world = square_world(4, population, 0.02, 0.1);
    const timewarp::ComparedRun run = run_epidemic(options, world, 3, sequential());
    double squares = 0, highest = 0;
    for (const timewarp::Compared& point : run.comparisons.at(0).points) {
      squares += (point.simulated - point.expected) * (point.simulated - point.expected);
      highest = std::max(highest, point.expected);
    }
    const double deviation = std::sqrt(squares / Epidemic::moments) / highest;
    EXPECT_LT(deviation, population == 500 ? 0.15 : 0.03) << population;
    EXPECT_LT(deviation, before);
    before = deviation;
    EXPECT_GT(highest, 0.1 * population * 16) << "an epidemic that spreads";
  }
}

TEST(Epidemic, OfOnePlaceHasTheFinalSizeOfKermackAndMcKendrick) {
  EpidemicOptions options;
  options.end_time = 400;
  World world{{{"here", 1'000'000, 1000}}, {0}};
  // s = s0 exp(-R (1 - s)), with R = 2.5; the infectious of the course integrate to the recovered ÷ recovery rate.
  const double s0 = 0.999;
  double left = 0.5;
  for (int i = 0; i < 200; ++i) left = s0 * std::exp(-2.5 * (1 - left));
  double infectious_days = 0;
  for (const double infectious : expected_course(options, world)) infectious_days += infectious * 8;  // days apart
  EXPECT_NEAR(infectious_days / options.infectious_period / 1e6, 1 - left, 0.005);
}

TEST(Models, HaveHandlersThatCanBeRolledBack) {
  using timewarp::Check;
  for (const Check check : {Check::purity, Check::rollback}) {
    EXPECT_GT(timewarp::check_model(timewarp::Simulation<Queueing>{Queueing({.stations = 10}), {10, 100.0}}, check),
              1000U);
    EXPECT_GT(timewarp::check_model(timewarp::Simulation<Pcs>{Pcs({.width = 4, .height = 4}), {16, 100.0}}, check),
              1000U);
  }
}

// Runs of any model on any engine.
using RunOn = std::function<timewarp::ComparedRun(std::uint64_t, const Engine&)>;

Engine random_engine(SeededRandom& random) {
  Engine engine;
  engine.options.pin = PinPolicy::never;
  engine.options.threads = 1 + static_cast<int>(random.below(3));
  if (random.below(2) == 0) engine.options.processes = 2;
  engine.queue = timewarp::all_queues[random.below(5)];
  if (engine.queue == timewarp::Queue::bucket && engine.options.processes == 0) {
    engine.exchange = timewarp::all_exchanges[random.below(4)];
    engine.queues = 1 + random.below(3);
  }
  engine.options.worker.optimism = timewarp::all_optimisms[random.below(3)];
  engine.options.worker.gvt_interval = 1 + random.below(500);
  engine.options.worker.turn = 1 + random.below(50);
  engine.options.worker.max_events = 1 << 20;
  engine.options.worker.digest = true;
  if (engine.options.processes == 0) engine.options.worker.events = timewarp::all_sent_events[random.below(2)];
  return engine;
}

void expect_equal_on_all_engines(const RunOn& run) {
  const std::uint64_t trials = 12 * effort();
  for (std::uint64_t seed = 1; seed <= trials && !testing::Test::HasFailure(); ++seed) {
    SeededRandom random(seed);
    Engine oracle = sequential();
    oracle.options.worker.digest = true;
    const timewarp::ComparedRun expected = run(seed, oracle);
    const Engine engine = random_engine(random);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + team_of(engine) + ", " + std::string(name_of(engine.queue)));
    const timewarp::ComparedRun found = run(seed, engine);
    EXPECT_EQ(found.digest, expected.digest);
    ASSERT_EQ(found.comparisons.size(), expected.comparisons.size());
    for (std::size_t which = 0; which < expected.comparisons.size(); ++which) {
      for (std::size_t i = 0; i < expected.comparisons[which].points.size(); ++i) {
        EXPECT_EQ(found.comparisons[which].points[i].simulated, expected.comparisons[which].points[i].simulated);
      }
    }
    for (std::size_t which = 0; which < expected.quantities.size(); ++which)
      EXPECT_EQ(found.quantities[which].points[0].value, expected.quantities[which].points[0].value);
  }
}

TEST(Models, OfQueuesAreTheSameOnAllEngines) {
  expect_equal_on_all_engines([](std::uint64_t seed, const Engine& engine) {
    return run_queueing({.stations = 30, .travel_time = 0.2, .warm_up = 10}, 60, seed, engine);
  });
}

TEST(Models, OfTelephonesAreTheSameOnAllEngines) {
  expect_equal_on_all_engines([](std::uint64_t seed, const Engine& engine) {
    return run_pcs({.width = 6, .height = 6, .dwell_time = 1}, 40, seed, engine);
  });
}

TEST(Models, OfEpidemicsAreTheSameOnAllEngines) {
  const World world = square_world(4, 60, 0.1, 0.5);
  expect_equal_on_all_engines([&](std::uint64_t seed, const Engine& engine) {
    EpidemicOptions options;
    options.end_time = 40;
    return run_epidemic(options, world, seed, engine);
  });
}

TEST(Models, RefuseWhatMakesNoSenseByTheOptionsName) {
  const auto complaint = [](const auto& run) -> std::string {
    try {
      static_cast<void>(run());
    } catch (const UsageError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(complaint([] { return run_queueing({.routing_probability = 1}, 500, 1, sequential()); }),
            "routing_probability = 1: must be in [0, 1)");
  EXPECT_NE(complaint([] { return run_queueing({.max_load = 1}, 500, 1, sequential()); }).find("max_load = 1"),
            std::string::npos);
  EXPECT_NE(complaint([] { return run_queueing({}, 100, 1, sequential()); }).find("end_time = 100"), std::string::npos);
  EXPECT_NE(complaint([] { return run_pcs({.channels = 0}, 100, 1, sequential()); }).find("channels = 0"),
            std::string::npos);
  EXPECT_NE(complaint([] {
              EpidemicOptions options;
              options.latent_period = 0;
              return run_epidemic(options, square_world(2, 10, 0, 0), 1, sequential());
            }).find("latent_period = 0"),
            std::string::npos);
}

}  // namespace
}  // namespace laxity::models
