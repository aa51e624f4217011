#include "laxity/launch/job.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <thread>

#include "laxity/launch/team.hpp"

namespace laxity {
namespace {

TeamOptions small(int threads, int processes) {
  return {.threads = threads, .processes = processes, .arena_bytes = 1 << 16, .max_blocks = 8, .max_links = 16};
}

std::optional<Job> job_of_this_process() {
  std::vector<Job> jobs = Job::find_all();
  for (Job& job : jobs)
    if (job.notice().pid == ::getpid()) return std::move(job);
  return std::nullopt;
}

class JobOf : public testing::TestWithParam<int> {};  // processes; 0: threads
INSTANTIATE_TEST_SUITE_P(Teams, JobOf, testing::Values(0, 2));

TEST_P(JobOf, ShowsTheCountersOfARunningTeamWhileTheyMove) {
  Team team(small(2, GetParam()));
  bool seen = false;
  const TeamReport report = team.run(
      [](Worker& worker) {
        worker.counter_table().link({0, 0, 1, 0}, worker.neighbor_kind(1 - worker.id() % 2), 1);
        while (!worker.stop_requested()) worker.update_done();
      },
      [&] {
        if (!team.all_are_updating() || seen) return;
        const std::optional<Job> job = job_of_this_process();
        ASSERT_TRUE(job);
        EXPECT_EQ(job->notice().workers, team.size());
        EXPECT_EQ(job->notice().processes, GetParam());
        EXPECT_NE(std::strstr(job->notice().command, "launch_test"), nullptr);
        EXPECT_EQ(std::string(job->notice().host), host_name());
        EXPECT_EQ(std::string(job->notice().name), job_name(host_name(), ::getpid()));
        EXPECT_EQ(job->notice().shape(), GetParam() == 0 ? "2t" : "2p2t");
        EXPECT_TRUE(job->is_alive());
        const std::uint64_t before = job->table().worker(1).updates.read();
        for (int tries = 0; tries < 2000 && job->table().worker(1).updates.read() == before; ++tries)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        EXPECT_GT(job->table().worker(1).updates.read(), before);
        EXPECT_EQ(job->table().links(), 1U);
        seen = true;
        team.request_stop();
      });
  EXPECT_TRUE(report.all_finished());
  EXPECT_TRUE(seen);
}

TEST(Job, IsGoneWithItsTeamAndKeepsWhatItShowed) {
  std::optional<Team> team(small(1, 0));
  std::optional<Job> job = job_of_this_process();
  ASSERT_TRUE(job);
  (void)team->run([](Worker& worker) { worker.update_done(); });
  team.reset();
  EXPECT_FALSE(job->is_alive());
  EXPECT_EQ(job->table().worker(0).updates.read(), 1U);
  EXPECT_EQ(job->table().worker(0).state.load(), WorkerState::finished);
  EXPECT_FALSE(job_of_this_process());
}

TEST(Job, CannotBeWrittenTo) {
  const Team team(small(1, 0));
  const std::optional<Job> job = job_of_this_process();
  ASSERT_TRUE(job);
  EXPECT_DEATH(job->table().worker(0).updates.add(), "");
}

TEST(Job, FilesThatOnlyLookLikeOneArePassedOver) {
  JobNotice notice;
  notice.magic = JobNotice::right_magic;
  notice.pid = ::getpid();
  notice.workers = 3;
  const int memory = ::memfd_create("laxity", 0);
  ASSERT_EQ(::ftruncate(memory, 1 << 16), 0);
  SegmentAddress address{::getpid(), memory, 0, 0, 1 << 16};
  for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 62}) {
    notice.memory = address;
    notice.table_offset = offset;
    const int file = ::memfd_create("laxity", 0);
    ASSERT_EQ(::write(file, &notice, sizeof notice), static_cast<ssize_t>(sizeof notice));
    EXPECT_FALSE(job_of_this_process());
    ::close(file);
  }
  ::close(memory);
}

TEST(CounterTable, IsRecognizedOnlyWhereItFits) {
  alignas(64) static std::byte memory[1 << 16];
  const std::size_t bytes = CounterTable::bytes_needed(2, 16);
  CounterTable::create(memory + 64, 2, 16);
  const std::span<const std::byte> all(memory, 64 + bytes);
  EXPECT_TRUE(CounterTable::fits(all, 64, 2));
  EXPECT_FALSE(CounterTable::fits(all, 64, 3));
  EXPECT_FALSE(CounterTable::fits(all, 0, 2));
  EXPECT_FALSE(CounterTable::fits(all, 63, 2));
  EXPECT_FALSE(CounterTable::fits(all.first(63 + bytes), 64, 2));
  EXPECT_FALSE(CounterTable::fits(all, std::size_t{1} << 62, 2));
}

}  // namespace
}  // namespace laxity
