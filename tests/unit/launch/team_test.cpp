#include "laxity/launch/team.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <climits>
#include <cmath>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/launch/pacing.hpp"

namespace laxity {
namespace {

TeamOptions small(int threads, int processes, LossPolicy on_loss = LossPolicy::end) {
  return {.threads = threads,
          .processes = processes,
          .arena_bytes = 1 << 16,
          .max_blocks = 64,
          .max_links = 64,
          .on_loss = on_loss,
          .tick = std::chrono::milliseconds(2),
          .grace = std::chrono::milliseconds(500)};
}

void expect_no_children_left() {
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

struct Shape {
  int threads;
  int processes;
};

class EveryShape : public testing::TestWithParam<Shape> {
 protected:
  [[nodiscard]] TeamOptions options(LossPolicy on_loss = LossPolicy::end) const {
    return small(GetParam().threads, GetParam().processes, on_loss);
  }
  void TearDown() override { expect_no_children_left(); }
};
INSTANTIATE_TEST_SUITE_P(Team, EveryShape,
                         testing::Values(Shape{1, 0}, Shape{2, 0}, Shape{1, 1}, Shape{1, 2}, Shape{2, 2}),
                         [](const auto& instance) {
                           return shape_of({.threads = instance.param.threads, .processes = instance.param.processes});
                         });

// Every worker sends to every other; of ten frames one is refused.
TEST_P(EveryShape, WorkersSeeTheQualityOfTheirOwnLinksAndThePaceOfTheirNeighbors) {
  Team team(options());
  const auto report = team.run([&](Worker& worker) {
    const auto me = static_cast<std::uint32_t>(worker.id());
    const auto size = static_cast<std::uint32_t>(worker.size());
    std::vector<InletCounters*> inlets;
    for (std::uint32_t other = 0; other < size; ++other)
      if (other != me) {
        const NeighborKind kind = worker.neighbor_kind(static_cast<int>(other));
        inlets.push_back(&worker.counter_table().link({0, me, other, 0}, kind, 1).inlet);
      }
    if (!worker.barrier()) return;
    while (worker.quality().window < 2) {
      for (InletCounters* inlet : inlets) {
        inlet->attempted.add(10);
        inlet->refused.add(1);
      }
      worker.update_done();
    }
    const WorkerQuality& seen = worker.quality();
    if (seen.simstep_period_ns <= 0 || seen.links.size() != size - 1) throw Error("a worker does not see its links");
    for (const LinkQuality& link : seen.links)
      if (std::abs(link.delivery_failure_rate - 0.1) > 1e-9 || link.neighbor == me || link.neighbor_period_ns <= 0)
        throw Error("worker " + std::to_string(me) + " sees wrong figures of " + std::to_string(link.neighbor));
  });
  EXPECT_EQ(report.losses(), "");
}

TEST_P(EveryShape, RunsTheBodyOnceInEveryWorker) {
  Team team(options());
  auto& runs = team.arena().object<std::array<std::atomic<int>, 8>>({"runs"});
  const TeamReport report = team.run([&](Worker& worker) {
    EXPECT_EQ(worker.size(), team.size());
    EXPECT_EQ(worker.id(), worker.process() * GetParam().threads + worker.thread());
    ++runs[static_cast<std::size_t>(worker.id())];
  });
  EXPECT_TRUE(report.all_finished()) << report.losses();
  EXPECT_FALSE(report.interrupted);
  for (int worker = 0; worker < team.size(); ++worker) EXPECT_EQ(runs[static_cast<std::size_t>(worker)].load(), 1);
}

TEST_P(EveryShape, KnowsHowFarAwayItsNeighborsAre) {
  Team team(options());
  auto& faults = team.arena().object<std::atomic<int>>({"faults"});
  const TeamReport report = team.run([&](Worker& worker) {
    for (int other = 0; other < worker.size(); ++other) {
      const auto expected = other == worker.id()                               ? NeighborKind::same_thread
                            : team.place_of(other).process == worker.process() ? NeighborKind::thread
                                                                               : NeighborKind::process;
      faults += worker.neighbor_kind(other) != expected;
    }
  });
  EXPECT_TRUE(report.all_finished());
  EXPECT_EQ(faults.load(), 0);
}

TEST_P(EveryShape, EndsWhenTheSupervisorAsks) {
  Team team(options());
  int turns = 0;
  const TeamReport report = team.run(
      [](Worker& worker) {
        while (!worker.stop_requested()) worker.update_done();
      },
      [&] {
        if (++turns >= 5 && team.all_are_updating()) team.request_stop();
      });
  EXPECT_TRUE(report.all_finished()) << report.losses();
  EXPECT_GE(turns, 5);
  for (int worker = 0; worker < team.size(); ++worker)
    EXPECT_GT(team.counter_table().worker(worker).updates.read(), 0U);
}

TEST_P(EveryShape, CarriesAnExceptionToTheParentWithTheWorkersName) {
  Team team(options());
  const int culprit = team.size() - 1;
  const TeamReport report = team.run([&](Worker& worker) {
    if (worker.id() == culprit) throw std::runtime_error("no more colors");
    while (worker.barrier() && !worker.stop_requested()) worker.update_done();
  });
  ASSERT_FALSE(report.all_finished());
  EXPECT_EQ(report.losses(), team.place_of(culprit).name() + " failed: no more colors");
  for (int worker = 0; worker < culprit; ++worker)
    EXPECT_EQ(report.workers[static_cast<std::size_t>(worker)].state, WorkerState::finished);
}

TEST_P(EveryShape, NamesWorkersThatThrowAnythingElse) {
  Team team(options());
  const TeamReport report = team.run([](Worker&) { throw 42; });
  for (const WorkerEnd& end : report.workers) EXPECT_EQ(end.state, WorkerState::failed);
  EXPECT_NE(report.losses().find("worker 0 (process 0, thread 0) failed: threw something"), std::string::npos);
}

TEST_P(EveryShape, GoesOnWithoutALostWorkerIfThatIsTheRule) {
  Team team(options(LossPolicy::go_on));
  const int culprit = team.size() - 1;
  auto& rounds = team.arena().object<std::atomic<int>>({"rounds"});
  const TeamReport report = team.run([&](Worker& worker) {
    Pacer pacer({.mode = PacingMode::every_update}, worker.pacing_barrier());
    for (int round = 0; round < 100; ++round) {
      if (worker.id() == culprit && round == 50) throw std::runtime_error("gone");
      rounds += pacer.after_update() && worker.barrier() && !worker.stop_requested();
    }
  });
  EXPECT_EQ(rounds.load(), 100 * (team.size() - 1) + 50);
  EXPECT_EQ(report.losses(), team.place_of(culprit).name() + " failed: gone");
}

TEST_P(EveryShape, ThrowsOnWhatTheSupervisorThrows) {
  Team team(options());
  EXPECT_THROW(team.run(
                   [](Worker& worker) {
                     while (worker.barrier() && !worker.stop_requested()) worker.update_done();
                   },
                   [] { throw Error("disk full"); }),
               Error);
}

TEST_P(EveryShape, RunsOnce) {
  Team team(options());
  EXPECT_TRUE(team.run([](Worker&) {}).all_finished());
  EXPECT_THROW(team.run([](Worker&) {}), UsageError);
}

class EveryForkedShape : public EveryShape {};
INSTANTIATE_TEST_SUITE_P(Team, EveryForkedShape, testing::Values(Shape{1, 2}, Shape{2, 2}), [](const auto& instance) {
  return shape_of({.threads = instance.param.threads, .processes = instance.param.processes});
});

TEST_P(EveryForkedShape, NamesEveryWorkerOfAKilledProcess) {
  for (const LossPolicy rule : {LossPolicy::end, LossPolicy::go_on}) {
    Team team(options(rule));
    auto& survivors = team.arena().object<std::atomic<int>>({"survivors"});
    const TeamReport report = team.run([&](Worker& worker) {
      Pacer pacer({.mode = PacingMode::every_update}, worker.pacing_barrier());
      while (!worker.stop_requested()) {
        worker.update_done();
        if (worker.id() == 0 && worker.updates() == 20) kill(getpid(), SIGKILL);
        if (!pacer.after_update()) break;
        if (rule == LossPolicy::go_on && worker.updates() == 2'000) break;
      }
      ++survivors;
    });
    EXPECT_EQ(survivors.load(), GetParam().threads);
    std::string expected;
    for (int worker = 0; worker < GetParam().threads; ++worker) {
      if (worker != 0) expected += '\n';
      expected += team.place_of(worker).name() + " was killed: signal 9, Killed";
    }
    EXPECT_EQ(report.losses(), expected);
    if (rule == LossPolicy::go_on) {
      EXPECT_EQ(team.counter_table().worker(team.size() - 1).updates.read(), 2'000U);
    }
    expect_no_children_left();
  }
}

TEST_P(EveryForkedShape, NamesWorkersWhoseProcessLeftByItself) {
  Team team(options());
  const TeamReport report = team.run([](Worker& worker) {
    if (worker.process() == 1) _exit(3);
    while (worker.barrier() && !worker.stop_requested()) worker.update_done();
  });
  EXPECT_NE(report.losses().find("(process 1, thread 0) was killed: its process ended with status 3"),
            std::string::npos)
      << report.losses();
}

TEST_P(EveryForkedShape, KillsProcessesThatDoNotEndAfterTheSupervisorThrew) {
  Team team(options());
  EXPECT_THROW(team.run(
                   [](Worker&) {
                     while (true) pause();
                   },
                   [] { throw Error("disk full"); }),
               Error);
}

// Runs a team in a child process, which is interrupted once its workers run: once, or until it has ended. Returns its
// wait status.
int status_after_interrupts(const TeamOptions& options, bool once, bool stubborn) {
  int ready[2];
  EXPECT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    Team team(options);
    const TeamReport report = team.run(
        [&](Worker& worker) {
          while (stubborn || !worker.stop_requested()) {
            worker.update_done();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
        },
        [&] {
          if (team.all_are_updating()) (void)!write(ready[1], "r", 1);
        });
    _exit(!report.interrupted ? 1 : report.all_finished() ? 0 : 2);
  }
  char byte;
  EXPECT_EQ(read(ready[0], &byte, 1), 1);
  int status = 0;
  do {
    kill(child, SIGINT);
    if (!once) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  } while (!once && waitpid(child, &status, WNOHANG) == 0);
  if (once) waitpid(child, &status, 0);
  close(ready[0]);
  close(ready[1]);
  return status;
}

TEST_P(EveryShape, EndsCleanlyAtTheFirstInterrupt) {
  const int status = status_after_interrupts(options(), true, false);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Interrupt, ASecondOneKillsForkedWorkersThatDoNotListen) {
  const int status = status_after_interrupts(small(1, 2), false, true);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 2);
}

TEST(Interrupt, ASecondOneEndsAProcessWhoseThreadsDoNotListen) {
  const int status = status_after_interrupts(small(2, 0), false, true);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGINT);
}

TEST(Team, ItsProcessesDieWithTheirParent) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    close(pipe_ends[0]);
    Team team(small(1, 2));
    (void)team.run(
        [](Worker& worker) {
          worker.update_done();
          while (true) pause();
        },
        [&] {
          if (team.all_are_updating()) kill(getpid(), SIGKILL);
        });
    _exit(1);
  }
  close(pipe_ends[1]);
  waitpid(parent, nullptr, 0);
  char byte;
  EXPECT_EQ(read(pipe_ends[0], &byte, 1), 0);  // end of file: all processes with the pipe have ended
  close(pipe_ends[0]);
}

TEST(Team, RefusesSizesThatAreImpossible) {
  for (const auto& [threads, processes] : {Shape{0, 0}, Shape{-1, 0}, Shape{1, -1}, Shape{100'000, 0}, Shape{100, 100},
                                           Shape{INT_MAX, INT_MAX}, Shape{INT_MIN, 1}})
    EXPECT_THROW(Team({.threads = threads, .processes = processes}), UsageError) << threads << ' ' << processes;
  EXPECT_THROW(Team({.max_links = ~std::size_t{0}}), UsageError);
  EXPECT_THROW(Team({.tick = std::chrono::milliseconds(0)}), UsageError);
}

TEST(Team, NamesItsShape) {
  EXPECT_EQ(shape_of(small(1, 0)), "1t");
  EXPECT_EQ(shape_of(small(2, 0)), "2t");
  EXPECT_EQ(shape_of(small(1, 2)), "2p");
  EXPECT_EQ(shape_of(small(3, 2)), "2p3t");
}

}  // namespace
}  // namespace laxity
