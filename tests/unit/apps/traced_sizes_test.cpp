// What a trace says about the sizes to be measured.
#include "apps/laxity/arrival/traced_sizes.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <tuple>

#include "tests/unit/trace/written_trace.hpp"

namespace laxity::cli {
namespace {

using collective::Collective;
using trace::Call;
using trace::Kind;
using trace::ProcessTrace;

struct Made {
  Kind kind;
  std::uint64_t bytes;  // of a block or vector
  double skew_us;       // the second process is late
};

// A job of two processes.
trace::Job job_of(const std::vector<Made>& calls) {
  std::vector<ProcessTrace> traces;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    traces.push_back(trace::process(rank, 2));
    for (std::size_t number = 0; number < calls.size(); ++number) {
      const Made& made = calls[number];
      const std::int64_t delay_ns = rank == 0 ? 0 : static_cast<std::int64_t>(made.skew_us * 1000);
      const std::int64_t arrival_ns = static_cast<std::int64_t>(number + 1) * 1'000'000'000 + delay_ns;
      traces.back().sites = {{.object = "/nowhere", .offset = 0x10, .symbol = "main"},
                             {.object = "/nowhere", .offset = 0x20, .symbol = "transpose"}};
      Call call = trace::blocking(made.kind, number, arrival_ns, arrival_ns + 50'000);
      call.site = made.kind == Kind::alltoall ? 1 : 0;
      call.bytes_sent = call.bytes_received = made.bytes * (made.kind == Kind::alltoall ? 2 : 1);
      traces.back().calls.push_back(call);
    }
  }
  return trace::join_processes(traces);
}

TEST(TracedSizes, HaveCallsAndSkewsWithoutThoseOfTheStartUp) {
  const auto found = traced_application(job_of({{Kind::alltoall, 64, 5000},
                                                {Kind::allreduce, 8, 900},
                                                {Kind::alltoall, 64, 3},
                                                {Kind::alltoall, 64, 5},
                                                {Kind::alltoall, 64, 700},
                                                {Kind::allreduce, 8, 7}}));
  ASSERT_EQ(found.sizes.size(), 2U);
  const TracedSize& allreduce = found.sizes[0];
  EXPECT_EQ(std::tuple(allreduce.collective, allreduce.processes, allreduce.bytes),
            std::tuple(Collective::allreduce, 2, std::size_t{8}));
  EXPECT_EQ(allreduce.calls, 2U);
  // The median of all skews is 353.5 us: only the first call is more than ten times as long.
  EXPECT_EQ(allreduce.start_up_calls, 0U);
  EXPECT_NEAR(allreduce.max_skew_us, 900, 1e-3);
  const TracedSize& alltoall = found.sizes[1];
  EXPECT_EQ(alltoall.calls, 4U);
  EXPECT_EQ(alltoall.start_up_calls, 1U);
  EXPECT_NEAR(alltoall.median_skew_us, 5, 1e-3);
  EXPECT_NEAR(alltoall.max_skew_us, 700, 1e-3);
  EXPECT_TRUE(found.left_out.empty());
}

TEST(TracedSizes, EverySizeIsBetweenHalfAndTwiceAMeasuredOne) {
  const auto found = traced_application(job_of({{Kind::bcast, 100, 1},
                                                {Kind::bcast, 150, 1},
                                                {Kind::bcast, 150, 1},
                                                {Kind::bcast, 290, 1},
                                                {Kind::bcast, 310, 1},
                                                {Kind::bcast, 5000, 1}}));
  std::vector<std::size_t> measured;
  for (const TracedSize& size : found.sizes) measured.push_back(size.measured_bytes);
  EXPECT_EQ(measured, (std::vector<std::size_t>{150, 150, 310, 310, 5000}));
}

TEST(TracedSizes, ArePrintedWithTheirCallSites) {
  const auto found = traced_application(job_of({{Kind::bcast, 8, 1}, {Kind::alltoall, 64, 2}}));
  std::ostringstream out;
  print_sizes(found, 2, "runs/app", out);
  EXPECT_NE(out.str().find("           64         1         2.0 us         2.0 us           64  transpose\n"),
            std::string::npos)
      << out.str();
  EXPECT_NE(out.str().find("            8  main\n"), std::string::npos) << out.str();
}

TEST(TracedSizes, CallsThatCannotBeMeasuredAreNamed) {
  const auto found = traced_application(job_of({{Kind::alltoallv, 64, 1}, {Kind::bcast, 0, 1}, {Kind::barrier, 0, 1}}));
  ASSERT_EQ(found.sizes.size(), 1U);
  EXPECT_EQ(found.sizes.front().collective, Collective::barrier);
  EXPECT_EQ(found.left_out, (std::vector<std::string>{"alltoallv", "bcast"}));
}

TEST(TracedSizes, CallsOnOtherNumbersOfProcessesAreNamedWithTheirCommand) {
  const auto found = traced_application(job_of({{Kind::bcast, 8, 1}}));
  EXPECT_EQ(most_frequent_processes(found.sizes), 2);
  EXPECT_EQ(most_frequent_processes({}), 0);
  std::ostringstream out;
  print_sizes(found, 4, "runs/app", out);
  EXPECT_NE(out.str().find("not measured: 1 calls on 2 processes; to measure them: laxity arrival -n 2 --for runs/app"),
            std::string::npos)
      << out.str();
}

}  // namespace
}  // namespace laxity::cli
