// Joining processes: clocks, matching of calls, and figures of small examples.
#include "laxity/trace/analysis/job.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/trace/analysis/summary.hpp"
#include "laxity/trace/detail/interval_union.hpp"
#include "tests/effort.hpp"
#include "tests/unit/trace/written_trace.hpp"

namespace laxity::trace {
namespace {

TEST(Job, FiguresOfACallMatchTheExample) {
  // Arrivals 100, 130, 180; exits 200, 220, 210: skew 80, last delay 220 - 180, total delay 220 - 100.
  std::vector<ProcessTrace> processes{process(0, 3), process(1, 3), process(2, 3)};
  const std::int64_t times[3][2] = {{100, 200}, {130, 220}, {180, 210}};
  for (std::size_t i = 0; i < 3; ++i) {
    processes[i].calls = {blocking(Kind::allreduce, 0, times[i][0], times[i][1])};
  }
  const Job job = join_processes(processes);
  const auto calls = calls_of(job);
  ASSERT_EQ(calls.size(), 1U);
  const CallFigures figures = figures_of(calls[0]);
  EXPECT_EQ(figures.skew_ns(), 80);
  EXPECT_EQ(figures.last_delay_ns(), 40);
  EXPECT_EQ(figures.total_delay_ns(), 120);
  EXPECT_EQ(figures.inside_ns, 100 + 90 + 30);
  EXPECT_EQ(figures.waiting_ns, 80 + 50 + 0);
}

TEST(Job, AProcessThatExitsBeforeTheLastArrivalWaitsUntilItsExit) {
  std::vector<ProcessTrace> processes{process(0, 2), process(1, 2)};
  processes[0].calls = {blocking(Kind::bcast, 0, 100, 110)};  // the root need not wait
  processes[1].calls = {blocking(Kind::bcast, 0, 500, 520)};
  const Job job = join_processes(processes);
  const CallFigures figures = figures_of(calls_of(job).at(0));
  EXPECT_EQ(figures.waiting_ns, 10);
  EXPECT_EQ(figures.last_delay_ns(), 20);
}

TEST(Job, OnlyTheTimeInMpiCountsForNonblockingCalls) {
  std::vector<ProcessTrace> processes{process(0, 2), process(1, 2)};
  Call call = blocking(Kind::alltoall, 0, 100, 105);
  call.start = Start::nonblocking;
  call.completing_ns = 300;
  call.exit_ns = 400;
  processes[0].calls = {call};
  call.arrival_ns = 350;  // starts late, so process 0 waits from 300 to 350
  call.return_ns = 360;
  call.completing_ns = 360;
  call.exit_ns = 410;
  processes[1].calls = {call};
  const Job job = join_processes(processes);
  const CallFigures figures = figures_of(calls_of(job).at(0));
  EXPECT_EQ(figures.inside_ns, (5 + 100) + (10 + 50));
  EXPECT_EQ(figures.waiting_ns, 50);
  EXPECT_EQ(figures.skew_ns(), 250);
}

TEST(Job, CallsAreMatchedByCommunicatorAndSequenceNotByTime) {
  std::vector<ProcessTrace> processes{process(0, 2), process(1, 2)};
  processes[0].communicators.push_back({.id = 99, .size = 2, .remote_size = 0, .rank = 0});
  processes[1].communicators.insert(processes[1].communicators.begin() + 1,
                                    {.id = 99, .size = 2, .remote_size = 0, .rank = 1});
  processes[0].calls = {blocking(Kind::barrier, 0, 10, 20), blocking(Kind::barrier, 1, 30, 40)};
  processes[1].calls = {blocking(Kind::barrier, 0, 1000, 1020), blocking(Kind::barrier, 1, 1030, 1040)};
  for (ProcessTrace& trace : processes) {
    Call other = blocking(Kind::reduce, 0, 50, 60);
    other.communicator = 1;
    trace.calls.insert(trace.calls.begin(), other);
  }
  const Job job = join_processes(processes);
  const auto calls = calls_of(job);
  ASSERT_EQ(calls.size(), 3U);
  for (const CollectiveCall& call : calls) EXPECT_EQ(call.parts.size(), 2U);
  EXPECT_EQ(job.communicators.at(calls[0].communicator).name, "comm 1");
  EXPECT_EQ(job.communicators.at(calls[1].communicator).name, "world");
  EXPECT_TRUE(job.notes.size() == 1 && job.notes[0].find("MPI_Finalize") != std::string::npos);
}

TEST(Job, TimesAreConvertedToTheGlobalClock) {
  std::vector<ProcessTrace> processes{process(0, 2), process(1, 2)};
  processes[0].clock = {{.at_ns = 0, .offset_ns = 0, .slope = 0, .synchronized = true}};
  // An offset of 1 s that grows by 0.5 us in a second: the clock drifts by 0.5 ppm.
  processes[1].process.clock = 6;
  processes[1].clock = {{.at_ns = 1'000'000'000, .offset_ns = -1e9, .slope = 0, .synchronized = true},
                        {.at_ns = 2'000'000'000, .offset_ns = -1e9 + 500, .slope = 0, .synchronized = true}};
  processes[0].calls = {blocking(Kind::barrier, 0, 500'000'000, 500'000'100)};
  processes[1].calls = {blocking(Kind::barrier, 0, 1'500'000'000, 1'500'000'100)};
  const Job job = join_processes(processes);
  EXPECT_TRUE(job.one_clock);
  EXPECT_EQ(figures_of(calls_of(job).at(0)).skew_ns(), 250);
}

TEST(Job, NotesThatClocksCannotBeCompared) {
  std::vector<ProcessTrace> processes{process(0, 2), process(1, 2)};
  processes[1].process.clock = 6;
  const Job job = join_processes(processes);
  EXPECT_FALSE(job.one_clock);
}

TEST(Job, SharesOfTimeAddUpOverProcesses) {
  std::vector<ProcessTrace> processes{process(0, 2), process(1, 2)};
  processes[0].calls = {blocking(Kind::barrier, 0, 1100, 1400)};
  processes[1].calls = {blocking(Kind::barrier, 0, 1300, 1400)};
  for (ProcessTrace& trace : processes) trace.end = End{.at_ns = 2000, .calls = 1, .recorded = 1};
  const Summary summary = summarize(join_processes(processes));
  EXPECT_DOUBLE_EQ(summary.share_inside(), 400.0 / 2000.0);
  EXPECT_DOUBLE_EQ(summary.share_waiting(), 200.0 / 400.0);
  EXPECT_DOUBLE_EQ(summary.processes.at(1).mean_delay_ns, 200);
  EXPECT_EQ(summary.collectives.at(0).calls, 1U);
}

TEST(Job, TimeOfSeveralThreadsAtOnceCountsOnce) {
  // Three threads of one process: [1000, 1300], [1100, 1400] and [1350, 1500] are 500 ns; three times as long as one by one.
  std::vector<ProcessTrace> processes{process(0, 1)};
  processes[0].end = End{.at_ns = 2000, .calls = 3, .recorded = 3};
  for (std::uint32_t thread = 0; thread < 3; ++thread) {
    processes[0].communicators.push_back({.id = std::uint64_t{90} + thread, .size = 1, .remote_size = 0, .rank = 0});
    const std::int64_t times[3][2] = {{1000, 1300}, {1100, 1400}, {1350, 1500}};
    Call call = blocking(Kind::barrier, 0, times[thread][0], times[thread][1]);
    call.communicator = thread + 1;
    call.thread = call.completing_thread = thread;
    processes[0].calls.push_back(call);
  }
  const Job job = join_processes(processes);
  EXPECT_EQ(job.processes.at(0).threads, 3U);
  const Summary summary = summarize(job);
  EXPECT_EQ(summary.inside_ns, 500);
  EXPECT_DOUBLE_EQ(summary.share_inside(), 0.5);
  EXPECT_EQ(summary.collectives.size(), 3U);
}

TEST(Job, CallsDoNotWaitForAProcessThatHasEnded) {
  // Process 1 ends after 3 of 100 calls; those of the others are complete all the same.
  std::vector<ProcessTrace> processes{process(0, 3), process(1, 3), process(2, 3)};
  for (std::size_t i = 0; i < processes.size(); ++i) {
    for (int call = 0; call < (i == 1 ? 3 : 100); ++call) {
      processes[i].calls.push_back(
          blocking(Kind::barrier, static_cast<std::uint64_t>(call), 1000 + 10 * call, 1005 + 10 * call));
    }
  }
  const auto calls = calls_of(join_processes(processes));
  ASSERT_EQ(calls.size(), 100U);
  for (const JoinedCall& call : calls) EXPECT_EQ(call.parts.size(), call.sequence < 3 ? 3U : 2U) << call.sequence;
}

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

TEST(Job, MemoryDoesNotGrowWithTheNumberOfCalls) {
  // 120 bytes per call if they were kept: 60 MB here, 600 MB with the long tests.
  const Folder folder("laxity_trace_memory");
  const std::uint64_t calls = 250'000 * std::uint64_t{effort()};
  for (const std::uint32_t rank : {0U, 1U}) {
    Writer writer;
    ASSERT_TRUE(writer.create((folder / (std::to_string(rank) + ".lxtrace").c_str()).c_str()));
    const ProcessTrace trace = process(rank, 2);
    writer.process(trace.process);
    writer.communicator(trace.communicators[0]);
    writer.site(trace.sites[0]);
    for (std::uint64_t i = 0; i < calls; ++i) {
      const auto begin_ns = static_cast<std::int64_t>(1000 + 100 * i);
      writer.call(blocking(Kind::barrier, i, begin_ns + 20 * std::int64_t{rank}, begin_ns + 50));
    }
    writer.close();
  }
  const std::size_t before = resident_bytes();
  std::size_t most = before;
  std::uint64_t visited = 0;
  const Job job = read_jobs(folder.path()).at(0);
  const Summary summary = summarize(job, [&](const CollectiveCall&, const CallFigures&) {
    if (++visited % 50'000 == 0) most = std::max(most, resident_bytes());
  });
  EXPECT_EQ(visited, calls);
  EXPECT_EQ(summary.inside_ns, static_cast<std::int64_t>(calls) * (50 + 30));
  EXPECT_EQ(summary.waiting_ns, static_cast<std::int64_t>(calls) * 20);
  EXPECT_LT(most - before, std::size_t{8} << 20);
}

TEST(IntervalUnion, IsExactForAnyOrderThatFitsItsCapacity) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    detail::IntervalUnion sum(64);
    std::vector<bool> covered(1000);
    for (int i = 0; i < 60; ++i) {
      const auto begin = static_cast<std::int64_t>(random() % 990);
      const auto end = begin + static_cast<std::int64_t>(random() % 10);
      sum.add(begin, end);
      std::fill(covered.begin() + begin, covered.begin() + end, true);
    }
    EXPECT_EQ(sum.length_ns(), std::count(covered.begin(), covered.end(), true));
  }
}

TEST(IntervalUnion, IsExactForMoreIntervalsInTheOrderOfTime) {
  detail::IntervalUnion sum(8);
  for (std::int64_t i = 0; i < 1000; ++i) sum.add(10 * i, 10 * i + 4);
  EXPECT_EQ(sum.length_ns(), 4000);
}

TEST(Job, MismatchedCollectivesAreLeftOutAndCounted) {
  std::vector<ProcessTrace> processes{process(0, 2), process(1, 2)};
  processes[0].calls = {blocking(Kind::barrier, 0, 10, 20)};
  processes[1].calls = {blocking(Kind::reduce, 0, 10, 20)};
  const Job job = join_processes(processes);
  const auto calls = calls_of(job);
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].parts.size(), 1U);
  EXPECT_EQ(summarize(job).left_out, 1U);
}

TEST(Job, RefusesTwoProcessesOfOneRank) {
  std::vector<ProcessTrace> processes{process(0, 2), process(0, 2)};
  EXPECT_THROW(static_cast<void>(join_processes(processes)), Error);
}

TEST(Job, MessageSizesAreThoseOfBenchmarks) {
  Call call = blocking(Kind::alltoall, 0, 0, 1);
  call.bytes_sent = 8192;
  EXPECT_EQ(message_bytes(call, {.id = 1, .size = 8, .remote_size = 0, .rank = 0}), 1024U);
  EXPECT_EQ(message_bytes(call, {.id = 1, .size = 8, .remote_size = 4, .rank = 0}), 2048U);
  call.kind = Kind::allreduce;
  EXPECT_EQ(message_bytes(call, {.id = 1, .size = 8, .remote_size = 0, .rank = 0}), 8192U);
  call = blocking(Kind::bcast, 0, 0, 1);
  call.bytes_received = 64;
  EXPECT_EQ(message_bytes(call, {.id = 1, .size = 8, .remote_size = 0, .rank = 0}), 64U);
}

}  // namespace
}  // namespace laxity::trace
