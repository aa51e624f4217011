// A run of a given duration, of two threads.
#include "laxity/launch/timed_run.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace laxity {
namespace {

struct Ticks {
  std::int64_t last_ns = 0;
  double last_fraction = 0;
};

TEST(TimedRun, StopsTheTeamWhenItsTimeIsOver) {
  Team team({.threads = 2});
  Ticks ticks;
  TimedRun timed(team, {.duration_ns = 30'000'000}, [&](std::int64_t elapsed_ns, double fraction) {
    EXPECT_GE(elapsed_ns, ticks.last_ns);
    EXPECT_GE(fraction, ticks.last_fraction);
    ticks = {elapsed_ns, fraction};
  });
  const TeamReport report = team.run(
      [](Worker& worker) {
        while (!worker.stop_requested()) worker.update_done();
      },
      [&] { timed.tick(); });
  EXPECT_TRUE(report.all_finished()) << report.losses();
  EXPECT_GE(ticks.last_ns, 30'000'000);
  EXPECT_EQ(ticks.last_fraction, 1);
  EXPECT_TRUE(timed.snapshots().empty()) << "no window was asked for";
}

}  // namespace
}  // namespace laxity
