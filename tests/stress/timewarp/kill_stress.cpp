// Kills a worker process of a simulation again and again, in a handler or from outside at a random moment: the run ends
// with an Error that names the worker, and nothing is left, whether the others share memory with it or read its own.
// LAXITY_EFFORT=n kills n times as often.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "laxity/random.hpp"
#include "laxity/timewarp/run.hpp"
#include "laxity/transport/segment.hpp"
#include "tests/effort.hpp"

namespace laxity::timewarp {
namespace {

constexpr std::uint64_t kills = 30;
constexpr int processes = 3;

std::uint64_t handled = 0;  // by this process; a model must not do this, unless it means to die of it

/// Talks without end; one process dies while it handles its n-th event, or in init() for n = 0.
struct Mortal {
  using Time = double;
  struct State {
    std::uint64_t seen = 0;
  };
  struct Event {
    std::uint64_t unused = 0;
  };
  LpId mortal = ~LpId{0};  // nobody
  std::uint64_t deadly = 0;

  void init(Context<Mortal>& lp) const {
    if (lp.self() == mortal && deadly == 0) raise(SIGKILL);
    for (int i = 0; i < 5; ++i) send(lp);
  }
  void handle(Context<Mortal>& lp, const Event&) const {
    ++lp.state().seen;
    if (lp.self() == mortal && ++handled >= deadly) raise(SIGKILL);
    send(lp);
  }
  static void send(Context<Mortal>& lp) {
    lp.send(lp.random().below(lp.logical_processes()), lp.random().unit() + 1e-6, {});
  }
};

Simulation<Mortal> endless(LpId mortal, std::uint64_t deadly) { return {{mortal, deadly}, {30, 1e12}, 1}; }

std::vector<pid_t> children() {
  std::ifstream file("/proc/self/task/" + std::to_string(getpid()) + "/children");
  std::vector<pid_t> pids;
  for (pid_t pid = 0; file >> pid;) pids.push_back(pid);
  return pids;
}

std::size_t open_files() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

void expect_named_end(const Simulation<Mortal>& simulation, const RunOptions& options, int victim, bool attach) {
  try {
    static_cast<void>(attach ? run_over_attached_memory(simulation, options) : run(simulation, options));
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    const std::string expected = "(process " + std::to_string(victim) + ", thread 0) was killed: signal 9, Killed";
    EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
  }
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a process is left";
}

RunOptions three_processes() {
  RunOptions options;
  options.processes = processes;
  options.pin = PinPolicy::never;
  options.worker.max_events = 1 << 16;
  return options;
}

template <class Kill>
void campaign(Kill kill) {
  const std::size_t files_before = open_files();
  for (std::uint64_t seed = 1; seed <= kills * effort() && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SeededRandom random(seed);
    kill(random);
  }
  EXPECT_EQ(open_files(), files_before);
  for (const NamedSegment& segment : list_named_segments()) EXPECT_NE(segment.owner, getpid()) << segment.name;
}

TEST(TimeWarpKill, InAHandler) {
  campaign([](SeededRandom& random) {
    const LpId mortal = random.below(30);
    const std::uint64_t deadly = random.below(4) == 0 ? 0 : random.bits() >> (50 + random.below(14));
    expect_named_end(endless(mortal, deadly), three_processes(), static_cast<int>(mortal) / 10, random.below(2) == 0);
  });
}

TEST(TimeWarpKill, FromOutside) {
  campaign([](SeededRandom& random) {
    const int victim = static_cast<int>(random.below(processes));
    RunOptions options = three_processes();
    bool killed = false;
    options.watch = [&](auto) {
      const std::vector<pid_t> workers = children();
      if (killed || workers.size() != processes) return;
      std::this_thread::sleep_for(std::chrono::microseconds(random.below(10'000)));
      kill(workers[static_cast<std::size_t>(victim)], SIGKILL);
      killed = true;
    };
    expect_named_end(endless(~LpId{0}, 0), options, victim, random.below(2) == 0);
    EXPECT_TRUE(killed);
  });
}

}  // namespace
}  // namespace laxity::timewarp
