// The nearest measured conditions of traced calls.
#include "laxity/trace/analysis/conditions.hpp"

#include <gtest/gtest.h>

#include "laxity/collective/patterns/pattern.hpp"
#include "tests/unit/trace/written_trace.hpp"

namespace laxity::trace {
namespace {

using collective::Collective;
using collective::Condition;
using collective::Measurement;
using collective::Pattern;

constexpr int processes = 4;

Measurement cell(Collective collective, std::size_t bytes, const std::string& pattern, double skew_us) {
  Measurement measured;
  measured.collective = collective;
  measured.algorithm = {1, "linear"};
  measured.library = "Open MPI 4.1.4";
  measured.processes = processes;
  measured.bytes = bytes;
  measured.pattern = pattern;
  measured.skew_us = skew_us;
  for (std::size_t turn = 0; turn < min_values_for_interval; ++turn) measured.delays.push_back({turn, 1});
  return measured;
}

// All patterns at two skews, of two sizes of all-to-all.
std::vector<Measurement> measured() {
  std::vector<Measurement> cells;
  for (const std::size_t bytes : {std::size_t{64}, std::size_t{4096}}) {
    cells.push_back(cell(Collective::alltoall, bytes, "no_delay", 0));
    for (const Pattern pattern : collective::delaying_patterns) {
      for (const double skew_us : {100.0, 1000.0}) {
        cells.push_back(cell(Collective::alltoall, bytes, std::string(name_of(pattern)), skew_us));
      }
    }
  }
  return cells;
}

// A job whose k-th call has blocks of bytes[k] and delays of delays_us[k][rank].
struct Made {
  std::size_t bytes;
  std::vector<double> delays_us;
};
Job job_of(const std::vector<Made>& calls, Kind kind = Kind::alltoall, Start start = Start::blocking) {
  std::vector<ProcessTrace> traces;
  for (std::uint32_t rank = 0; rank < processes; ++rank) {
    traces.push_back(process(rank, processes));
    for (std::size_t number = 0; number < calls.size(); ++number) {
      const auto delay_ns = static_cast<std::int64_t>(calls[number].delays_us[rank] * 1000);
      const std::int64_t arrival_ns = static_cast<std::int64_t>(number + 1) * 1'000'000'000 + delay_ns;
      Call call = blocking(kind, number, arrival_ns, arrival_ns + 50'000);
      call.start = start;
      call.bytes_sent = call.bytes_received = calls[number].bytes * processes;
      traces.back().calls.push_back(call);
    }
  }
  return join_processes(traces);
}

// The nearest condition of a call with these delays.
Condition like(const std::vector<double>& delays_us) {
  const auto found = conditions_of(job_of({{64, delays_us}}), measured());
  if (found.calls.size() != 1) return {};
  EXPECT_EQ(found.calls.front().calls(), 1U);
  return found.calls.front().dominant_condition();
}

TEST(TracedConditions, ACallHasThePatternOfItsShapeForEverySkew) {
  for (const Pattern pattern : collective::delaying_patterns) {
    if (pattern == Pattern::random) continue;
    for (const double skew_us : {80.0, 300.0, 1500.0}) {
      auto delays = collective::arrival_delays(pattern, processes, skew_us);
      EXPECT_EQ(like(delays), (Condition{name_of(pattern), skew_us < 310 ? 100.0 : 1000.0})) << skew_us;
    }
  }
}

TEST(TracedConditions, ALittleNoiseChangesNothing) {
  EXPECT_EQ(like({3, 340, 630, 1000}).first, "ascending");
  EXPECT_EQ(like({0, 60, 20, 1000}).first, "last_delayed");
  EXPECT_EQ(like({1000, 30, 0, 970}).first, "v_shape");
}

TEST(TracedConditions, SmallSkewsAreNoDelay) {
  EXPECT_EQ(like({0, 0, 0, 0}), (Condition{"no_delay", 0}));
  EXPECT_EQ(like({0, 49, 3, 12}), (Condition{"no_delay", 0}));
  EXPECT_NE(like({0, 51, 3, 12}).first, "no_delay");
}

TEST(TracedConditions, DelaysFarFromEveryShapeAreRandom) { EXPECT_EQ(like({500, 0, 1000, 0}).first, "random"); }

TEST(TracedConditions, CallsGoToTheMeasuredSizeThatStandsForThem) {
  const std::vector<double> last{0, 0, 0, 500};
  const auto found =
      conditions_of(job_of({{32, last}, {64, last}, {128, last}, {2048, last}, {8192, last}}), measured());
  ASSERT_EQ(found.calls.size(), 2U);
  EXPECT_EQ(found.calls[0].bytes, 64U);
  EXPECT_EQ(found.calls[0].calls(), 3U);
  EXPECT_EQ(found.calls[1].bytes, 4096U);
  EXPECT_EQ(found.calls[1].calls(), 2U);
  EXPECT_DOUBLE_EQ(found.calls[1].median_skew_us, 500);
  EXPECT_TRUE(found.unmeasured.empty());
}

TEST(TracedConditions, CallsWithoutAMeasuredSizeAreReported) {
  const std::vector<double> last{0, 0, 0, 500};
  const auto found = conditions_of(job_of({{31, last}, {500, last}, {8193, last}, {8193, last}}), measured());
  EXPECT_TRUE(found.calls.empty());
  ASSERT_EQ(found.unmeasured.size(), 3U);
  const UnmeasuredCalls& larger = found.unmeasured.back();
  EXPECT_EQ(larger.collective, Collective::alltoall);
  EXPECT_EQ(larger.processes, 4U);
  EXPECT_EQ(larger.bytes, 8193U);
  EXPECT_EQ(larger.calls, 2U);
  const auto other = conditions_of(job_of({{64, last}}, Kind::alltoallv), measured()).unmeasured;
  ASSERT_EQ(other.size(), 1U);
  EXPECT_FALSE(other.front().collective);
}

TEST(TracedConditions, CellsWithFewValidRepetitionsAreNoConditions) {
  auto cells = measured();
  for (Measurement& each : cells) {
    if (each.pattern == "last_delayed") each.delays.pop_back();
  }
  const auto found = conditions_of(job_of({{64, {0, 0, 0, 500}}}), cells);
  ASSERT_EQ(found.calls.size(), 1U);
  EXPECT_NE(found.calls.front().dominant_condition().first, "last_delayed");
  for (Measurement& each : cells) each.delays.clear();
  const auto undecided = conditions_of(job_of({{64, {0, 0, 0, 500}}}), cells);
  EXPECT_TRUE(undecided.calls.empty());
  EXPECT_TRUE(undecided.unmeasured.empty()) << "the size was measured, though not often enough";
}

TEST(TracedConditions, NonblockingCallsAreIgnored) {
  const auto found = conditions_of(job_of({{64, {0, 0, 0, 500}}}, Kind::alltoall, Start::nonblocking), measured());
  EXPECT_TRUE(found.calls.empty());
  EXPECT_TRUE(found.unmeasured.empty());
}

TEST(TracedConditions, TheSizeOfAReduceScatterIsThatOfItsBlock) {
  const std::vector<Measurement> cells{cell(Collective::reduce_scatter, 64, "no_delay", 0)};
  const auto found = conditions_of(job_of({{128, {0, 0, 0, 0}}}, Kind::reduce_scatter), cells);
  EXPECT_EQ(found.calls.size(), 1U) << "128 bytes a process, 512 in all";
}

}  // namespace
}  // namespace laxity::trace
