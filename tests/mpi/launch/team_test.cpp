// Teams over ranks: the same guarantees as for threads and forked processes, with shared memory between all ranks, with
// each rank as a host, and with two ranks on each host.
#include "laxity/launch/team.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "laxity/error.hpp"
#include "laxity/launch/pacing.hpp"
#include "laxity/launch/ranks.hpp"

namespace laxity {
namespace {

struct Shape {
  const char* name;
  int ranks_per_host;
  bool one_thread_sends;
};

class OverRanks : public testing::TestWithParam<Shape> {
 protected:
  [[nodiscard]] Ranks& ranks() const { return *ranks_; }
  [[nodiscard]] static bool share_memory(int rank, int other) {
    const int per_host = GetParam().ranks_per_host;
    return per_host == 0 || rank / per_host == other / per_host;
  }
  [[nodiscard]] TeamOptions options(int threads, LossPolicy on_loss = LossPolicy::end) const {
    return {.threads = threads,
            .ranks = &ranks(),
            .arena_bytes = 1 << 16,
            .max_blocks = 64,
            .max_links = 64,
            .on_loss = on_loss,
            .tick = std::chrono::milliseconds(2)};
  }

 private:
  std::unique_ptr<Ranks> ranks_ = join_ranks(
      {.threads = 2, .ranks_per_host = GetParam().ranks_per_host, .one_thread_sends = GetParam().one_thread_sends});
};
INSTANTIATE_TEST_SUITE_P(Team, OverRanks,
                         testing::Values(Shape{"SharedMemory", 0, false}, Shape{"MessagesOnly", 1, false},
                                         Shape{"TwoRanksAHost", 2, false}, Shape{"OneThreadSends", 1, true}),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST_P(OverRanks, RunsTheBodyOnceInEveryWorker) {
  for (const int threads : {1, 2}) {
    Team team(options(threads));
    auto& runs = team.arena().object<std::array<std::atomic<std::uint8_t>, 16>>({"runs"});
    const TeamReport report = team.run([&](Worker& worker) {
      EXPECT_EQ(worker.size(), team.size());
      EXPECT_EQ(worker.id(), worker.process() * threads + worker.thread());
      ++runs[static_cast<std::size_t>(worker.id())];
    });
    EXPECT_TRUE(report.all_finished()) << report.losses();
    EXPECT_FALSE(report.interrupted);
    EXPECT_EQ(team.size(), threads * ranks().map().ranks());
    team.allreduce_or(std::as_writable_bytes(std::span(runs)));
    for (int worker = 0; worker < team.size(); ++worker) EXPECT_EQ(runs[static_cast<std::size_t>(worker)], 1);
  }
}

TEST_P(OverRanks, KnowsHowFarAwayItsNeighborsAre) {
  Team team(options(2));
  const TeamReport report = team.run([&](Worker& worker) {
    for (int other = 0; other < worker.size(); ++other) {
      const auto expected = other == worker.id()                       ? NeighborKind::same_thread
                            : other / 2 == worker.id() / 2             ? NeighborKind::thread
                            : share_memory(other / 2, worker.id() / 2) ? NeighborKind::process
                                                                       : NeighborKind::host;
      EXPECT_EQ(worker.neighbor_kind(other), expected);
    }
  });
  EXPECT_TRUE(report.all_finished());
}

TEST_P(OverRanks, NobodyPassesABarrierBeforeAllHaveReachedIt) {
  constexpr std::uint64_t rounds = 30;
  Team team(options(2));
  // Workers are at most one round apart at any time, which is checked against the slowest worker of the team.
  auto& round = team.arena().object<std::array<std::atomic<std::uint64_t>, 16>>({"round"});
  const TeamReport report = team.run([&](Worker& worker) {
    for (std::uint64_t i = 1; i <= rounds; ++i) {
      round[static_cast<std::size_t>(worker.id())] = i;
      ASSERT_TRUE(worker.barrier());
      for (int other = 0; other < worker.size(); ++other)
        if (worker.neighbor_kind(other) != NeighborKind::host) {
          EXPECT_GE(round[static_cast<std::size_t>(other)], i);
        }
      ASSERT_TRUE(worker.barrier());
    }
  });
  EXPECT_TRUE(report.all_finished()) << report.losses();
}

TEST_P(OverRanks, PacersSynchronizeInEveryModeThatDoes) {
  for (const PacingMode mode : {PacingMode::every_update, PacingMode::rolling, PacingMode::fixed}) {
    Team team(options(2));
    auto& synchronizations = team.arena().object<std::array<std::atomic<std::uint64_t>, 16>>({"waits"});
    const TeamReport report = team.run([&](Worker& worker) {
      Pacer pacer({.mode = mode, .rolling_ns = 2'000'000, .fixed_ns = 5'000'000}, worker.pacing_barrier());
      while (pacer.synchronizations() < 20 && pacer.after_update()) worker.update_done();
      synchronizations[static_cast<std::size_t>(worker.id())] = pacer.synchronizations();
    });
    EXPECT_TRUE(report.all_finished()) << report.losses();
    for (int worker = 0; worker < team.size(); ++worker) {
      if (team.place_of(worker).process != ranks().map().rank) continue;
      EXPECT_EQ(synchronizations[static_cast<std::size_t>(worker)], 20U) << name_of(mode);
    }
  }
}

TEST_P(OverRanks, ARequestToStopReachesAllHosts) {
  Team team(options(1));
  const TeamReport report = team.run([&](Worker& worker) {
    if (worker.id() == worker.size() - 1) team.request_stop();
    while (!worker.stop_requested()) worker.update_done();
  });
  EXPECT_TRUE(report.all_finished());
}

TEST_P(OverRanks, OneThatThrowsEndsTheOthersAndIsNamedOnAllRanks) {
  Team team(options(2));
  const int victim = team.size() - 1;
  const TeamReport report = team.run([&](Worker& worker) {
    if (worker.id() == victim) throw std::runtime_error("broken worker");
    while (worker.barrier() && !worker.stop_requested()) worker.update_done();
  });
  EXPECT_FALSE(report.all_finished());
  EXPECT_EQ(report.losses(), team.place_of(victim).name() + " failed: broken worker");
  EXPECT_NE(report.losses().find("rank"), std::string::npos);
}

TEST_P(OverRanks, OthersGoOnWithoutOneThatThrows) {
  Team team(options(2, LossPolicy::go_on));
  if (team.size() == 2 && ranks().map().ranks() == 1) return;
  const TeamReport report = team.run([&](Worker& worker) {
    if (worker.id() == 0) throw std::runtime_error("broken worker");  // the one that exchanges the status
    for (int round = 0; round < 20; ++round) ASSERT_TRUE(worker.barrier());
    Pacer pacer({.mode = PacingMode::every_update}, worker.pacing_barrier());
    for (int update = 0; update < 20; ++update) ASSERT_TRUE(pacer.after_update());
  });
  EXPECT_EQ(report.workers[0].state, WorkerState::failed);
  for (std::size_t worker = 1; worker < report.workers.size(); ++worker)
    EXPECT_EQ(report.workers[worker].state, WorkerState::finished) << worker;
}

TEST_P(OverRanks, WhatTheSupervisorThrowsEndsTheTeamOnAllRanks) {
  Team team(options(1));
  const auto run = [&] {
    (void)team.run(
        [](Worker& worker) {
          while (!worker.stop_requested()) worker.update_done();
        },
        [&] {
          if (ranks().is_first()) throw UsageError("enough");
        });
  };
  EXPECT_THROW(run(), UsageError);
}

TEST_P(OverRanks, AStepThatFailsOnOneRankFailsOnAll) {
  const int last = ranks().map().ranks() - 1;
  EXPECT_NO_THROW(ranks().agree([] {}));
  try {
    ranks().agree([&] {
      if (ranks().map().rank == last) throw Error("refused by rank " + std::to_string(last));
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const UsageError&) {
    ADD_FAILURE() << "an Error became a UsageError";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), "refused by rank " + std::to_string(last));
  }
}

TEST_P(OverRanks, ForkedProcessesAreRefused) {
  TeamOptions both = options(1);
  both.processes = 2;
  EXPECT_THROW(Team team(both), UsageError);
}

}  // namespace
}  // namespace laxity
