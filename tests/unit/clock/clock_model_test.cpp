#include "laxity/clock/clock_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "laxity/clock/clock_identity.hpp"
#include "laxity/clock/offset_envelope.hpp"
#include "laxity/clock/wait_until.hpp"
#include "laxity/error.hpp"
#include "laxity/random.hpp"

namespace laxity {
namespace {

constexpr std::int64_t boot_ns = 3'000'000'000'000'000;  // a machine that is up for a month
constexpr int seeds = 200;

std::int64_t later_by_up_to(SeededRandom& random, std::int64_t span_ns) {
  return boot_ns + static_cast<std::int64_t>(random.unit() * static_cast<double>(span_ns));
}

TEST(ClockModel, IsTheSameClockUnlessToldOtherwise) {
  const ClockModel same;
  for (const std::int64_t time_ns : {std::int64_t{0}, std::int64_t{-5}, boot_ns}) {
    EXPECT_EQ(same.to_global(time_ns), time_ns);
    EXPECT_EQ(same.to_local(time_ns), time_ns);
  }
}

TEST(ClockModel, ToLocalUndoesToGlobal) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const ClockModel model = random_clock_model(seed, boot_ns);
    SeededRandom random(seed);
    for (int moment = 0; moment < 100; ++moment) {
      const std::int64_t local_ns = later_by_up_to(random, 86'400'000'000'000);
      ASSERT_LE(std::llabs(model.to_local(model.to_global(local_ns)) - local_ns), 1) << "seed " << seed;
    }
  }
}

TEST(ClockModel, MadeUpModelsStayWithinTheirBounds) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const ClockModel model = random_clock_model(seed, boot_ns, 1e6, 2e-6);
    EXPECT_LE(std::abs(model.offset_ns), 1e6);
    EXPECT_LE(std::abs(model.drift), 2e-6);
    EXPECT_EQ(model.to_global(boot_ns), random_clock_model(seed, boot_ns, 1e6, 2e-6).to_global(boot_ns));
  }
}

// Points of a true model, `noise_ns` around it.
std::vector<FitPoint> points_of(const ClockModel& truth, SeededRandom& random, double noise_ns) {
  std::vector<FitPoint> points;
  for (int point = 0; point < 50; ++point) {
    const std::int64_t local_ns = boot_ns + point * std::int64_t{20'000'000};
    const double noise = (2 * random.unit() - 1) * noise_ns;
    const double offset_ns = static_cast<double>(truth.to_global(local_ns) - local_ns) + noise;
    points.push_back({local_ns, offset_ns, 2 * noise_ns + 1});
  }
  return points;
}

TEST(FitClockModel, FindsOffsetAndDriftOfAnyClock) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const ClockModel truth = random_clock_model(seed, boot_ns);
    SeededRandom random(seed);
    const ClockModel found = fit_clock_model(points_of(truth, random, 200));
    for (const std::int64_t after_ns : {std::int64_t{0}, std::int64_t{1'000'000'000}, std::int64_t{5'000'000'000}}) {
      const std::int64_t error_ns = found.to_global(boot_ns + after_ns) - truth.to_global(boot_ns + after_ns);
      ASSERT_LE(std::llabs(error_ns), 2'500) << "seed " << seed << " after " << after_ns << " ns";
    }
  }
}

TEST(FitClockModel, TakesNoNoiseForDrift) {
  int slopes = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SeededRandom random(seed);
    const ClockModel found = fit_clock_model(points_of({.origin_ns = boot_ns, .offset_ns = 1e6}, random, 500));
    if (found.drift != 0) ++slopes;
    EXPECT_NEAR(found.offset_ns, 1e6, 500);
  }
  EXPECT_LE(slopes, seeds / 50);  // four standard errors: one fit in thousands
}

TEST(FitClockModel, WidePointsCountLittle) {
  SeededRandom random(1);
  auto points = points_of({.origin_ns = boot_ns, .offset_ns = 1000}, random, 10);
  for (std::size_t point = 0; point < points.size(); point += 5) {  // a fifth was disturbed
    points[point].offset_ns += 100'000;
    points[point].width_ns = 200'000;
  }
  EXPECT_NEAR(fit_clock_model(points).offset_ns, 1000, 20);
}

TEST(FitClockModel, OnePointIsAnOffset) {
  const std::vector<FitPoint> point{{boot_ns, -77, 5}};
  const ClockModel found = fit_clock_model(point);
  EXPECT_EQ(found.to_global(boot_ns), boot_ns - 77);
  EXPECT_EQ(found.drift, 0);
}

TEST(FitClockModel, RefusesNoPointsAndPointsWithoutWidth) {
  EXPECT_THROW((void)fit_clock_model({}), UsageError);
  const std::vector<FitPoint> sure{{boot_ns, 0, 0}};
  EXPECT_THROW((void)fit_clock_model(sure), UsageError);
}

TEST(ModelledClock, ShowsTheLocalClockThroughItsModel) {
  ManualClock local(1'000);
  const ModelledClock<ManualClock> global(local, {.origin_ns = 1'000, .offset_ns = 50, .drift = 0.5});
  EXPECT_EQ(global.now_ns(), 1'050);
  local.advance_ns(100);
  EXPECT_EQ(global.now_ns(), 1'200);
}

TEST(OffsetEnvelope, HoldsTheTrueOffsetHoweverSlowMessagesAre) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SeededRandom random(seed);
    const auto offset_ns = static_cast<std::int64_t>(2e9 * (random.unit() - 0.5));
    OffsetEnvelope envelope;
    std::int64_t now_ns = boot_ns;
    double width_ns = 1e18;
    for (int exchange = 0; exchange < 50; ++exchange) {
      const std::int64_t sent_ns = now_ns;
      now_ns += 200 + random.below(100'000);
      const std::int64_t answer_ns = now_ns + offset_ns;
      now_ns += 200 + random.below(100'000);
      (void)envelope.add(sent_ns, answer_ns, now_ns);
      ASSERT_LE(std::abs(envelope.offset_ns() - static_cast<double>(offset_ns)), envelope.width_ns() / 2);
      ASSERT_LE(envelope.width_ns(), width_ns) << "it only gets narrower";
      width_ns = envelope.width_ns();
    }
  }
}

TEST(OffsetEnvelope, SaysWhetherAnExchangeNarrowedIt) {
  OffsetEnvelope envelope;
  EXPECT_TRUE(envelope.add(0, 50, 100));
  EXPECT_FALSE(envelope.add(1'000, 1'050, 1'100));
  EXPECT_TRUE(envelope.add(2'000, 2'020, 2'040));
  EXPECT_EQ(envelope.offset_ns(), 0);
  EXPECT_EQ(envelope.width_ns(), 40);
}

TEST(SteadyClockIdentity, IsTheSameForTheWholeProcess) { EXPECT_EQ(steady_clock_identity(), steady_clock_identity()); }

TEST(WaitUntil, ReturnsAtOnceAfterTheDeadlineAndNeverBeforeIt) {
  const ManualClock standing(100);
  EXPECT_EQ(wait_until(standing, 99, Waiting::spin), 100);
  EXPECT_EQ(wait_until(standing, 100, Waiting::yield), 100);
  const SteadyClock steady;
  for (const Waiting waiting : {Waiting::spin, Waiting::yield}) {
    const std::int64_t deadline_ns = steady.now_ns() + 100'000;
    EXPECT_GE(wait_until(steady, deadline_ns, waiting), deadline_ns);
  }
}

}  // namespace
}  // namespace laxity
