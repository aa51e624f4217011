// Division of the time in collectives, and the causes of waiting, in small examples. Simulated programs are in
// tests/property/trace_attribution_property.cpp.
#include "laxity/trace/analysis/attribution.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "laxity/trace/detail/bounded_sample.hpp"
#include "tests/unit/trace/written_trace.hpp"

namespace laxity::trace {
namespace {

using Spans = std::vector<std::vector<std::int64_t>>;  // arrival and exit of each process

// Adds a call of all processes.
void add(std::vector<ProcessTrace>& processes, Kind kind, const Spans& spans, std::int32_t root = no_root) {
  for (std::size_t i = 0; i < processes.size(); ++i) {
    Call call = blocking(kind, processes[i].calls.size(), spans[i][0], spans[i][1]);
    call.root = root;
    processes[i].calls.push_back(call);
  }
}

std::vector<ProcessTrace> three_processes() { return {process(0, 3), process(1, 3), process(2, 3)}; }

TEST(Attribution, OfASingleCallWhatMayBeTransferIsUnknown) {
  auto processes = three_processes();
  add(processes, Kind::allreduce, {{2000, 3050}, {2200, 3060}, {3000, 3070}});
  const Attribution found = attribute(join_processes(processes));
  EXPECT_DOUBLE_EQ(found.time.transfer_ns, 50 + 60 + 70);
  EXPECT_DOUBLE_EQ(found.time.unknown_ns, 50 + 60);  // as long a transfer may have preceded the last arrival
  EXPECT_DOUBLE_EQ(found.time.waiting_ns, 950 + 740);
  EXPECT_DOUBLE_EQ(found.time.waiting_low_ns, 950 + 740);
  EXPECT_DOUBLE_EQ(found.time.waiting_high_ns, 1000 + 800);
  ASSERT_EQ(found.late.size(), 1U);
  EXPECT_EQ(found.late[0].process, 2U);
  EXPECT_EQ(found.late[0].calls, 1U);
}

TEST(Attribution, PunctualCallsTellHowLongTheTransferIs) {
  auto processes = three_processes();
  for (std::int64_t at = 2000; at < 7000; at += 1000) {
    add(processes, Kind::allreduce, {{at, at + 100}, {at, at + 100}, {at, at + 100}});
  }
  add(processes, Kind::allreduce, {{8000, 8640}, {8000, 8640}, {8600, 8640}});  // 60 of the 100 came before
  const Attribution found = attribute(join_processes(processes));
  EXPECT_DOUBLE_EQ(found.time.transfer_ns, 15 * 100 + 100 + 100 + 40);
  EXPECT_DOUBLE_EQ(found.time.waiting_ns, 540 + 540);
  EXPECT_DOUBLE_EQ(found.time.unknown_ns, 0);
  EXPECT_DOUBLE_EQ(found.time.waiting_low_ns, found.time.waiting_high_ns);
}

TEST(Attribution, ARootThatLeavesEarlyHasNotWaited) {
  auto processes = three_processes();
  for (std::int64_t at = 2000; at < 8000; at += 1000) {
    add(processes, Kind::bcast, {{at, at + 10}, {at + 500, at + 510}, {at + 600, at + 610}}, 0);
  }
  const Attribution found = attribute(join_processes(processes));
  EXPECT_DOUBLE_EQ(found.time.waiting_ns, 0);
  EXPECT_TRUE(found.late.empty());
}

TEST(Attribution, OthersWaitForALateRoot) {
  auto processes = three_processes();
  for (std::int64_t at = 2000; at < 8000; at += 1000) {
    add(processes, Kind::bcast, {{at + 500, at + 510}, {at, at + 520}, {at + 100, at + 520}}, 0);
  }
  const Attribution found = attribute(join_processes(processes));
  EXPECT_DOUBLE_EQ(found.time.waiting_ns, 6 * (500 + 400));
  ASSERT_EQ(found.late.size(), 1U);
  EXPECT_EQ(found.late[0].process, 0U);
}

TEST(Attribution, WhoAlwaysComputesLongerIsLateForWork) {
  auto processes = three_processes();
  for (std::int64_t at = 2000; at < 12000; at += 1000) {
    add(processes, Kind::barrier, {{at, at + 510}, {at + 500, at + 510}, {at, at + 510}});
  }
  const Attribution found = attribute(join_processes(processes));
  ASSERT_EQ(found.late.size(), 1U);
  EXPECT_EQ(found.late[0].process, 1U);
  EXPECT_EQ(found.late[0].calls, 10U);
  EXPECT_DOUBLE_EQ(found.late[0].of(Cause::work), 9 * 2 * 500);
  EXPECT_DOUBLE_EQ(found.late[0].of(Cause::unknown), 2 * 500);  // what precedes the first call happened once
}

TEST(Attribution, WhoComputesLongerThanUsualIsLateForNoise) {
  auto processes = three_processes();
  for (std::int64_t at = 2000; at < 12000; at += 1000) {
    const std::int64_t late = at == 7000 ? 400 : 0;
    add(processes, Kind::barrier, {{at, at + late + 10}, {at, at + late + 10}, {at + late, at + late + 10}});
  }
  const Attribution found = attribute(join_processes(processes));
  ASSERT_EQ(found.late.size(), 1U);
  EXPECT_EQ(found.late[0].process, 2U);
  EXPECT_EQ(found.late[0].calls, 1U);
  EXPECT_DOUBLE_EQ(found.late[0].direct_ns(), 2 * 400);
  EXPECT_DOUBLE_EQ(found.late[0].of(Cause::noise), 2 * 400);
}

TEST(Attribution, LatenessThatPropagatesIsThatOfItsOrigin) {
  auto processes = three_processes();
  std::int64_t at = 2000;
  for (int i = 0; i < 10; ++i, at += 2000) {
    // Rank 1 is late in the reduction, so its root, rank 0, is late in the barrier.
    const std::int64_t late = i == 6 ? 800 : 0;
    add(processes, Kind::reduce, {{at, at + late + 20}, {at + late, at + late + 10}, {at, at + 10}}, 0);
    for (ProcessTrace& each : processes) each.calls.back().site = 0;
    const std::int64_t root = at + late + 120, others = at + 110;
    add(processes, Kind::barrier, {{root, root + 10}, {others + late, root + 10}, {others, root + 10}});
  }
  const Attribution found = attribute(join_processes(processes));
  ASSERT_EQ(found.late.size(), 2U);
  EXPECT_EQ(found.late[0].process, 1U);
  EXPECT_DOUBLE_EQ(found.late[0].of(Cause::noise), 800);  // of the root
  EXPECT_EQ(found.late[1].process, 0U);
  EXPECT_GE(found.late[1].of(Cause::earlier), 800);  // of rank 2
  EXPECT_NEAR(found.late[0].propagated_ns, 800, 20);
}

TEST(Attribution, TimeForProcessesThatWereNotTracedIsUnknown) {
  std::vector<ProcessTrace> processes{process(0, 3), process(1, 3)};
  add(processes, Kind::barrier, {{2000, 2900}, {2500, 2900}});
  const Attribution found = attribute(join_processes(processes));
  EXPECT_DOUBLE_EQ(found.time.waiting_ns, 500);
  EXPECT_DOUBLE_EQ(found.time.unknown_ns, 400 + 400);
  EXPECT_DOUBLE_EQ(found.time.waiting_high_ns, 900 + 400);
}

TEST(Attribution, OfSampledCallsTheCauseIsUnknown) {
  auto processes = three_processes();
  for (ProcessTrace& each : processes) each.process.every = 2;
  for (std::int64_t at = 2000; at < 12000; at += 1000) {
    add(processes, Kind::barrier, {{at, at + 510}, {at + 500, at + 510}, {at, at + 510}});
  }
  const Attribution found = attribute(join_processes(processes));
  ASSERT_EQ(found.late.size(), 1U);
  EXPECT_DOUBLE_EQ(found.late[0].of(Cause::unknown), found.time.waiting_ns);
  EXPECT_GT(found.time.waiting_ns, 0);
}

TEST(Attribution, ScansWaitForLowerRanksOnly) {
  auto processes = three_processes();
  for (std::int64_t at = 2000; at < 8000; at += 1000) {
    add(processes, Kind::scan, {{at, at + 10}, {at + 300, at + 310}, {at, at + 310}});
  }
  const Attribution found = attribute(join_processes(processes));
  EXPECT_DOUBLE_EQ(found.time.waiting_ns, 6 * 300);
  ASSERT_EQ(found.late.size(), 1U);
  EXPECT_EQ(found.late[0].process, 1U);
}

TEST(Attribution, TheErrorOfTheClocksWidensTheRange) {
  const auto waiting_with = [](double error_ns) {
    std::vector<ProcessTrace> processes{process(0, 2), process(1, 2)};
    processes[1].process.clock = 6;
    for (ProcessTrace& each : processes) each.clock = {{.at_ns = 1000, .synchronized = true}};
    processes[1].clock[0].error_ns = error_ns;
    for (std::int64_t at = 2000; at < 8000; at += 1000) add(processes, Kind::barrier, {{at, at + 500}, {at, at + 500}});
    add(processes, Kind::barrier, {{9000, 9900}, {9400, 9900}});
    return attribute(join_processes(processes)).time;
  };
  EXPECT_DOUBLE_EQ(waiting_with(0).waiting_low_ns, 400);
  EXPECT_DOUBLE_EQ(waiting_with(0).waiting_high_ns, 400);
  EXPECT_DOUBLE_EQ(waiting_with(150).waiting_low_ns, 250);
  EXPECT_DOUBLE_EQ(waiting_with(150).waiting_high_ns, 400);  // the transfer takes 500
  const DividedTime unknown = waiting_with(std::numeric_limits<double>::infinity());
  EXPECT_DOUBLE_EQ(unknown.waiting_low_ns, 0);
  EXPECT_DOUBLE_EQ(unknown.waiting_high_ns, 400);
}

TEST(BoundedSample, KeepsEveryKthValueOfALongSequence) {
  detail::BoundedSample sample;
  for (int i = 0; i <= 1000; ++i) sample.add(i);
  EXPECT_LE(sample.size(), detail::BoundedSample::capacity);
  EXPECT_GT(sample.size(), detail::BoundedSample::capacity / 2);
  EXPECT_NEAR(sample.quantile(0.5), 500, 20);
  EXPECT_DOUBLE_EQ(sample.quantile(0), 0);
}

}  // namespace
}  // namespace laxity::trace
