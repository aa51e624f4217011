// How teams end: by signals to any of their processes, and although a worker does not answer.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <new>
#include <string>
#include <thread>

#include "laxity/error.hpp"
#include "laxity/launch/pacing.hpp"
#include "laxity/launch/team.hpp"

namespace laxity {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds grace{300};

TeamOptions small(int threads, int processes, LossPolicy on_loss = LossPolicy::end) {
  return {.threads = threads,
          .processes = processes,
          .arena_bytes = 1 << 16,
          .max_blocks = 64,
          .max_links = 64,
          .on_loss = on_loss,
          .tick = milliseconds(2),
          .grace = grace};
}

pid_t pid_of(const Team& team, int worker) { return team.counter_table().worker(worker).pid.load(); }

void update_until_stop(Worker& worker) {
  while (!worker.stop_requested()) {
    worker.update_done();
    std::this_thread::sleep_for(milliseconds(1));
  }
}

TEST(Ending, ASignalToOneForkedWorkerInterruptsTheRunAndIsNamed) {
  for (const int signal_number : {SIGINT, SIGTERM}) {
    Team team(small(1, 3));
    bool sent = false;
    const TeamReport report = team.run(update_until_stop, [&] {
      if (team.all_are_updating() && !sent) sent = kill(pid_of(team, 1), signal_number) == 0;
    });
    EXPECT_TRUE(report.all_finished()) << report.losses();
    EXPECT_TRUE(report.interrupted);
    EXPECT_EQ(report.signal, "signal " + std::to_string(signal_number) + ", " +
                                 (signal_number == SIGINT ? "Interrupt" : "Terminated") + ", to process 1");
  }
}

TEST(Ending, ASignalToTheProcessOfThreadsInterruptsTheRun) {
  Team team(small(2, 0));
  bool sent = false;
  const TeamReport report = team.run(update_until_stop, [&] {
    if (team.all_are_updating() && !sent) sent = kill(getpid(), SIGTERM) == 0;
  });
  EXPECT_TRUE(report.interrupted);
  EXPECT_EQ(report.signal, "signal 15, Terminated");
}

TEST(Ending, ARequestOfTheSupervisorIsNoInterruption) {
  Team team(small(1, 2));
  const TeamReport report = team.run(update_until_stop, [&] { team.request_stop(); });
  EXPECT_FALSE(report.interrupted);
  EXPECT_EQ(report.signal, "");
}

// The others wait for the stopped worker at a barrier of their mode or at the one after the run; they still finish.
TEST(Ending, AStoppedWorkerIsNamedAndKilledAfterTheGracePeriodInEveryMode) {
  for (const PacingMode mode : {PacingMode::every_update, PacingMode::rolling, PacingMode::none}) {
    for (const LossPolicy on_loss : {LossPolicy::end, LossPolicy::go_on}) {
      Team team(small(1, 3, on_loss));
      pid_t stopped = 0;
      const auto begin = std::chrono::steady_clock::now();
      const TeamReport report = team.run(
          [&](Worker& worker) {
            {
              Pacer<> pacer({.mode = mode, .rolling_ns = 1'000'000}, worker.pacing_barrier());
              while (!worker.stop_requested() && pacer.after_update()) worker.update_done();
            }
            (void)worker.barrier();
          },
          [&] {
            if (!team.all_are_updating()) return;
            if (stopped == 0) kill(stopped = pid_of(team, 1), SIGSTOP);
            team.request_stop();
          });
      EXPECT_EQ(report.losses(),
                "worker 1 (process 1, thread 0) was killed: it did not end within 0.3 s of the request to stop")
          << name_of(mode);
      EXPECT_EQ(report.workers[0].state, WorkerState::finished);
      EXPECT_EQ(report.workers[2].state, WorkerState::finished);
      EXPECT_GE(std::chrono::steady_clock::now() - begin, grace);
      EXPECT_EQ(kill(stopped, 0), -1);  // reaped
      EXPECT_EQ(errno, ESRCH);
    }
  }
}

TEST(Ending, AStoppedWorkerDoesNotOutliveOneInterrupt) {
  Team team(small(1, 2));
  pid_t stopped = 0;
  const TeamReport report = team.run(update_until_stop, [&] {
    if (stopped != 0 || !team.all_are_updating()) return;
    kill(stopped = pid_of(team, 0), SIGSTOP);
    kill(getpid(), SIGINT);
  });
  EXPECT_EQ(report.signal, "signal 2, Interrupt");
  EXPECT_EQ(report.workers[0].state, WorkerState::killed);
  EXPECT_EQ(report.workers[1].state, WorkerState::finished);
}

TEST(Ending, WorkersThatEndOneAfterTheOtherAreGivenTheGracePeriodEach) {
  TeamOptions options = small(1, 3);
  options.grace = milliseconds(1200);
  Team team(options);
  const TeamReport report = team.run(
      [](Worker& worker) {
        update_until_stop(worker);
        std::this_thread::sleep_for(worker.id() * milliseconds(700));
      },
      [&] { team.request_stop(); });
  EXPECT_TRUE(report.all_finished()) << report.losses();
}

TEST(Ending, AThreadThatDoesNotEndEndsTheProcessWithItsName) {
  EXPECT_EXIT(
      {
        Team team(small(2, 0));
        (void)team.run(
            [](Worker& worker) {
              while (worker.id() == 1) pause();
            },
            [&] { team.request_stop(); });
      },
      testing::ExitedWithCode(1),
      "worker 1 \\(process 0, thread 1\\) is given up, and this process ends: it did not end within 0.3 s");
}

TEST(Ending, ATeamWithinATeamIsRefusedAndTheOuterOneStillHearsSignals) {
  for (const int processes : {0, 2}) {
    Team team(small(2, processes));
    bool sent = false;
    const TeamReport report = team.run(
        [](Worker& worker) {
          Team inner(small(1, 0));
          try {
            (void)inner.run([](Worker&) {});
            throw Error("two teams ran at a time");
          } catch (const UsageError&) {
          }
          update_until_stop(worker);
        },
        [&] {
          if (team.all_are_updating() && !sent) sent = kill(getpid(), SIGTERM) == 0;
        });
    EXPECT_TRUE(report.interrupted);
    EXPECT_TRUE(report.all_finished()) << report.losses();
  }
}

TEST(Ending, FailedMemoryIsNamed) {
  Team team(small(1, 1));
  const TeamReport report = team.run([](Worker&) { throw std::bad_alloc(); });
  EXPECT_EQ(report.losses().find("worker 0 (process 0, thread 0) failed: out of memory"), 0U) << report.losses();
}

TEST(Ending, RefusesAGracePeriodOfNothing) { EXPECT_THROW(Team({.grace = milliseconds(0)}), UsageError); }

}  // namespace
}  // namespace laxity
