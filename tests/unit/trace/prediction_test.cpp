// Predicted run times of made-up traces, whose answers are computed by hand.
#include "laxity/trace/analysis/prediction.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "laxity/error.hpp"
#include "tests/unit/trace/written_trace.hpp"

namespace laxity::trace {
namespace {

using collective::Algorithm;
using collective::Collective;
using collective::Measurement;

constexpr std::uint32_t processes = 2;
constexpr std::int64_t us = 1000, call_ns = 300 * us, skew_ns = 1000 * us, job_ns = 100'000 * us;

const Algorithm library{0, "library"}, linear{1, "linear"};

Measurement cell(const Algorithm& algorithm, const std::string& pattern, double skew_us, double delay_us,
                 std::size_t bytes = 64) {
  Measurement measured;
  measured.collective = Collective::alltoall;
  measured.algorithm = algorithm;
  measured.library = "Open MPI 4.1.4";
  measured.processes = processes;
  measured.bytes = bytes;
  measured.pattern = pattern;
  measured.skew_us = skew_us;
  for (std::size_t turn = 0; turn < min_values_for_interval; ++turn) measured.delays.push_back({turn, delay_us});
  return measured;
}

std::vector<Measurement> measured() {
  return {cell(library, "no_delay", 0, 100), cell(library, "last_delayed", 1000, 200), cell(linear, "no_delay", 0, 50),
          cell(linear, "last_delayed", 1000, 400)};
}

// Two processes that take 100 ms each: calls without skew, then calls at which the second process is 1 ms late. A call
// lasts 300 us after the last arrival.
Job job_of(int together, int late, Kind kind = Kind::alltoall, std::size_t bytes = 64) {
  std::vector<ProcessTrace> traces;
  for (std::uint32_t rank = 0; rank < processes; ++rank) {
    ProcessTrace& trace = traces.emplace_back(process(rank, processes));
    for (int number = 0; number < together + late; ++number) {
      const std::int64_t begin_ns = 1000 + (number + 1) * 5000 * us;
      const bool is_late = number >= together;
      Call call = blocking(kind, static_cast<std::uint64_t>(number), begin_ns + (is_late && rank == 1 ? skew_ns : 0),
                           begin_ns + (is_late ? skew_ns : 0) + call_ns);
      call.bytes_sent = call.bytes_received = bytes * processes;
      trace.calls.push_back(call);
    }
    trace.end = End{.at_ns = 1000 + job_ns};
  }
  return join_processes(traces);
}

TEST(RunTimePrediction, ReplacesTheLastDelaysOfTheTraceByThoseOfTheBenchmark) {
  const auto prediction = predict_run_time(job_of(2, 8), Collective::alltoall, measured());
  EXPECT_EQ(prediction.calls, 10U);
  EXPECT_DOUBLE_EQ(prediction.traced_s, 0.1);
  const double other_s = 0.1 - 10 * 300e-6;  // the wait for the late process stays
  EXPECT_DOUBLE_EQ(prediction.other_s, other_s);
  ASSERT_EQ(prediction.algorithms.size(), 2U);
  const auto& [own, no_delay_s, robust_s, traced_s] = prediction.algorithms[0];
  EXPECT_EQ(own, library);
  EXPECT_DOUBLE_EQ(no_delay_s, other_s + 10 * 100e-6);
  EXPECT_DOUBLE_EQ(robust_s, other_s + 10 * 150e-6);
  EXPECT_DOUBLE_EQ(traced_s, other_s + 2 * 100e-6 + 8 * 200e-6);
  EXPECT_DOUBLE_EQ(prediction.algorithms[1].no_delay_s, other_s + 10 * 50e-6);
  EXPECT_DOUBLE_EQ(prediction.algorithms[1].traced_s, other_s + 2 * 50e-6 + 8 * 400e-6);
}

TEST(RunTimePrediction, ComparesAlgorithmsUnderTheConditionsThatTheyShare) {
  auto cells = measured();
  cells.back().delays.clear();  // linear was measured under one of two conditions
  auto prediction = predict_run_time(job_of(2, 8), Collective::alltoall, cells);
  ASSERT_EQ(prediction.algorithms.size(), 2U);
  EXPECT_DOUBLE_EQ(prediction.algorithms[0].robust_s, prediction.other_s + 10 * 100e-6);
  EXPECT_DOUBLE_EQ(prediction.algorithms[0].traced_s, prediction.other_s + 10 * 100e-6);
  EXPECT_DOUBLE_EQ(prediction.algorithms[1].robust_s, prediction.other_s + 10 * 50e-6);
  cells.push_back(cell(library, "first_delayed", 1000, 300));  // now it was measured under one of three
  prediction = predict_run_time(job_of(2, 8), Collective::alltoall, cells);
  ASSERT_EQ(prediction.algorithms.size(), 1U);
  EXPECT_EQ(prediction.algorithms.front().algorithm, library);
  EXPECT_DOUBLE_EQ(prediction.algorithms.front().robust_s, prediction.other_s + 10 * 200e-6);
}

TEST(RunTimePrediction, ThePatternOfTheApplicationIsNoPartOfTheMean) {
  auto cells = measured();
  cells.push_back(cell(library, "application", 500, 9000));
  const auto prediction = predict_run_time(job_of(10, 0), Collective::alltoall, cells);
  EXPECT_DOUBLE_EQ(prediction.algorithms.front().robust_s, prediction.other_s + 10 * 150e-6);
}

TEST(RunTimePrediction, RefusesWhatWasNotMeasured) {
  const auto complaint = [](const Job& job, const std::vector<Measurement>& cells) -> std::string {
    try {
      (void)predict_run_time(job, Collective::alltoall, cells);
    } catch (const UsageError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(complaint(job_of(1, 0, Kind::reduce), measured()), "the trace has no blocking alltoall");
  EXPECT_EQ(complaint(job_of(1, 0, Kind::alltoall, 4096), measured()),
            "alltoall of 4096 bytes on 2 processes was not measured");
  auto seldom = measured();
  for (Measurement& each : seldom) each.delays.pop_back();
  EXPECT_EQ(complaint(job_of(3, 0), seldom), "3 calls of alltoall are of sizes that were measured too seldom");
  auto delayed = measured();
  std::erase_if(delayed, [](const Measurement& each) { return each.pattern == "no_delay"; });
  EXPECT_EQ(complaint(job_of(0, 2), delayed),
            "alltoall of 64 bytes on 2 processes was measured too seldom without delay");
}

}  // namespace
}  // namespace laxity::trace
