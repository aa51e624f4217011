// Arrival patterns of traces.
#include "laxity/trace/analysis/arrival_patterns.hpp"

#include <gtest/gtest.h>

#include "laxity/error.hpp"
#include "tests/unit/trace/written_trace.hpp"

namespace laxity::trace {
namespace {

// Delays 0, 1, 2 us in the first call, 2, 1, 0 in the second, and 0, 4, 0 in the third, which has another call site.
Job three_calls() {
  std::vector<ProcessTrace> processes{process(0, 3), process(1, 3), process(2, 3)};
  const std::int64_t delays_us[3][3] = {{0, 2, 0}, {1, 1, 4}, {2, 0, 0}};
  for (std::size_t i = 0; i < 3; ++i) {
    processes[i].sites.push_back({.object = "/bin/app", .offset = 0x20, .symbol = {}});
    for (std::uint64_t call = 0; call < 3; ++call) {
      const std::int64_t arrival_ns = static_cast<std::int64_t>(call) * 100'000 + delays_us[i][call] * 1000;
      processes[i].calls.push_back(blocking(Kind::alltoall, call, arrival_ns, arrival_ns + 50'000));
      processes[i].calls.back().site = call == 2 ? 1 : 0;
    }
  }
  return join_processes(processes);
}

void expect_delays_us(const collective::ArrivalPattern& pattern, const std::vector<double>& delays_us) {
  ASSERT_EQ(pattern.delays_s.size(), delays_us.size());
  for (std::size_t i = 0; i < delays_us.size(); ++i) EXPECT_NEAR(pattern.delays_s[i] * 1e6, delays_us[i], 1e-9) << i;
}

TEST(ArrivalPatterns, TheApplicationsPatternIsTheMeanOverCalls) {
  const Job job = three_calls();
  const auto selection = longest_selection(job);
  ASSERT_TRUE(selection.has_value());
  EXPECT_EQ(selection->kind, Kind::alltoall);
  const auto pattern = mean_pattern(job, *selection);
  EXPECT_EQ(pattern.name, "application");
  expect_delays_us(pattern, {0, 4.0 / 3, 0});  // means 2/3, 2 and 2/3, relative to the smallest
}

TEST(ArrivalPatterns, ThereIsAPatternPerCallAndPerSite) {
  const Job job = three_calls();
  const auto selection = longest_selection(job, Kind::alltoall).value();
  const auto calls = call_patterns(job, selection);
  ASSERT_EQ(calls.size(), 3U);
  expect_delays_us(calls[1], {2, 1, 0});
  EXPECT_EQ(calls[2].name, "call 2");
  const auto sites = site_patterns(job, selection);
  ASSERT_EQ(sites.size(), 2U);
  expect_delays_us(sites[0], {0, 0, 0});
  expect_delays_us(sites[1], {0, 4, 0});
}

TEST(ArrivalPatterns, CallsNotRecordedByAllProcessesAreLeftOut) {
  std::vector<ProcessTrace> processes{process(0, 2), process(1, 2)};
  processes[0].calls = {blocking(Kind::barrier, 0, 0, 10'000), blocking(Kind::barrier, 1, 20'000, 30'000)};
  processes[1].calls = {blocking(Kind::barrier, 0, 3000, 10'000)};
  const Job job = join_processes(processes);
  expect_delays_us(mean_pattern(job, longest_selection(job).value()), {0, 3});
}

TEST(ArrivalPatterns, CollectivesNotInTheTraceAreAnError) {
  const Job job = three_calls();
  EXPECT_FALSE(longest_selection(job, Kind::scan).has_value());
  EXPECT_THROW(static_cast<void>(mean_pattern(job, {Kind::scan, 0})), UsageError);
}

}  // namespace
}  // namespace laxity::trace
