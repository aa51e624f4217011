#include "laxity/clock/clock_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "laxity/clock/clock_identity.hpp"
#include "laxity/clock/wait_until.hpp"
#include "laxity/random.hpp"

namespace laxity {
namespace {

constexpr std::int64_t boot_ns = 3'000'000'000'000'000;  // a host that was booted a month ago
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

TEST(ModeledClock, ShowsTheLocalClockThroughItsModel) {
  ManualClock local(1'000);
  const ModeledClock<ManualClock> global(local, {.origin_ns = 1'000, .offset_ns = 50, .drift = 0.5});
  EXPECT_EQ(global.now_ns(), 1'050);
  local.advance_ns(100);
  EXPECT_EQ(global.now_ns(), 1'200);
}

TEST(SteadyClockIdentity, IsTheSameForTheWholeProcess) { EXPECT_EQ(steady_clock_identity(), steady_clock_identity()); }

TEST(WaitUntil, ReturnsAtOnceAfterTheDeadlineAndNeverBeforeIt) {
  const ManualClock standing(100);
  EXPECT_EQ(wait_until(standing, 99, DeadlineWait::spin), 100);
  EXPECT_EQ(wait_until(standing, 100, DeadlineWait::yield), 100);
  const SteadyClock steady;
  for (const DeadlineWait waiting : {DeadlineWait::spin, DeadlineWait::yield}) {
    const std::int64_t deadline_ns = steady.now_ns() + 100'000;
    EXPECT_GE(wait_until(steady, deadline_ns, waiting), deadline_ns);
  }
}

}  // namespace
}  // namespace laxity
