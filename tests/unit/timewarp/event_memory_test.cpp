// Cancelback: when event memory is short, events far beyond GVT make room for those at GVT.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "laxity/error.hpp"
#include "laxity/timewarp/replay/replayed_run.hpp"
#include "laxity/timewarp/run.hpp"
#include "laxity/timewarp/sequential.hpp"
#include "laxity/timewarp/state/available_memory.hpp"

namespace laxity::timewarp {
namespace {

// Process 0 sends process 1 many events of the far future early, more than fit in the event memory of process 1's worker.
struct EarlyTalker {
  using Time = double;
  struct State {
    std::uint64_t heard = 0;
  };
  struct Event {
    std::uint32_t sends;
  };
  bool in_init = false;  // of what is said there no stub is kept

  void init(Context<EarlyTalker>& lp) const {
    if (lp.self() == 1) lp.send(1, 5.0, {100});
    if (lp.self() == 0 && in_init) say(lp);
    if (lp.self() == 0 && !in_init) lp.send(0, 0.5, {0});
  }
  void handle(Context<EarlyTalker>& lp, const Event& event) const {
    ++lp.state().heard;
    if (lp.self() == 0) say(lp);
    for (std::uint32_t i = 0; i < event.sends; ++i) lp.send(lp.self(), 1.0 + i, {0});
  }

 private:
  static void say(Context<EarlyTalker>& lp) {
    for (int i = 0; i < 200; ++i) lp.send(1, 1000.0 + i, {0});
  }
};

TEST(EventMemory, ReceivedEventsFarBeyondGvtMakeRoom) {
  for (const bool in_init : {true, false}) {
    const Simulation<EarlyTalker> simulation{{.in_init = in_init}, {2, 1e4}, 1};
    const auto expected = run_sequential(simulation, {.digest = true});
    for (std::uint64_t schedule = 1; schedule <= 20; ++schedule) {
      ReplayOptions options;
      options.seed = schedule;
      options.worker.max_events = 220;  // the 300 events to process 1 do not fit, nor 100 beside the reserve
      options.worker.digest = true;
      EXPECT_EQ(run_replayed(simulation, options).digest, expected.digest) << "schedule " << schedule;
    }
  }
}

// Of two processes of worker 1, one advances on its own and keeps its history until it is irrevocable. From time to time
// worker 0 makes the other process send a burst, for which the rest of event memory is too small.
struct AheadOfItself {
  using Time = double;
  struct State {
    std::uint64_t handled = 0;
  };
  enum class Event : std::uint32_t { step, burst, nothing };

  void init(Context<AheadOfItself>& lp) const {
    if (lp.self() == 0 || lp.self() == 3) lp.send(lp.self(), 1.0, Event::step);
  }
  void handle(Context<AheadOfItself>& lp, const Event& event) const {
    ++lp.state().handled;
    if (event == Event::step) {
      lp.send(lp.self(), 1.0, Event::step);
      if (lp.self() == 0 && lp.state().handled % 16 == 0) lp.send(2, 0.25, Event::burst);
    }
    for (int i = 1; event == Event::burst && i <= 80; ++i) lp.send(lp.self(), i / 128.0, Event::nothing);
  }
};

TEST(EventMemory, HistoryFarBeyondGvtMakesRoom) {
  const Simulation<AheadOfItself> simulation{{}, {4, 250.0}, 1};
  const auto expected = run_sequential(simulation, {.digest = true});
  for (std::uint64_t schedule = 1; schedule <= 20; ++schedule) {
    ReplayOptions options;
    options.seed = schedule;
    options.worker.optimism = Optimism::none;
    options.worker.max_events = 100;
    options.worker.digest = true;
    EXPECT_EQ(run_replayed(simulation, options).digest, expected.digest) << "schedule " << schedule;
  }
}

// Two processes of 16 KiB each that hardly wait for each other: histories grow far faster than records.
struct LargeHistory {
  using Time = double;
  struct State {
    std::array<std::uint64_t, 2048> words{};
  };
  struct Event {
    std::uint32_t word;
  };
  [[nodiscard]] std::uint64_t digest(const State& state) const { return state.words[0]; }
  [[nodiscard]] std::uint64_t digest(const Event& event) const { return event.word; }

  void init(Context<LargeHistory>& lp) const { lp.send(lp.self(), 1, {0}); }
  void handle(Context<LargeHistory>& lp, const Event& event) const {
    ++lp.state().words[event.word];
    const bool is_far = lp.random().below(64) == 0;
    lp.send(is_far ? lp.random().below(lp.logical_processes()) : lp.self(), 0.5 + lp.random().unit(),
            {lp.random().below(2048)});
  }
};

TEST(EventMemory, HistoriesOfLargeStatesStayWithinTheBytes) {
  const Simulation<LargeHistory> simulation{{}, {8, 400.0}, 1};
  const auto expected = run_sequential(simulation, {.digest = true});
  std::uint64_t unbounded = 0;
  for (const std::size_t max_memory : {std::size_t{1} << 30, std::size_t{2} << 20}) {
    for (std::uint64_t schedule = 1; schedule <= 5; ++schedule) {
      ReplayOptions options;
      options.seed = schedule;
      options.worker.optimism = Optimism::none;
      options.worker.gvt_interval = 1'000'000;
      options.worker.max_memory = max_memory;
      options.worker.digest = true;
      const auto result = run_replayed(simulation, options);
      EXPECT_EQ(result.digest, expected.digest) << "schedule " << schedule;
      for (const Statistics& worker : result.workers) {
        EXPECT_LE(worker.peak_bytes, max_memory);
        if (max_memory > std::size_t{2} << 20) unbounded = std::max(unbounded, worker.peak_bytes);
      }
    }
  }
  EXPECT_GT(unbounded, std::uint64_t{2} << 20) << "the bound would not be reached";
}

// Process 0 needs nobody and sends large events to process 1, which needs little memory if it keeps up.
struct LargeLetters {
  using Time = double;
  struct State {
    std::uint64_t received = 0;
  };
  struct Event {
    std::array<std::uint64_t, 128> content;
  };
  void init(Context<LargeLetters>& lp) const {
    if (lp.self() == 0) lp.send(0, 1, {});
  }
  void handle(Context<LargeLetters>& lp, const Event& event) const {
    lp.state().received += event.content[0];
    if (lp.self() != 0) return;
    lp.send(0, 1, {});
    for (std::uint64_t i = 0; i < 8; ++i) lp.send(1, 0.25 + 0.25 * lp.random().unit(), {{i}});
  }
};

TEST(EventMemory, AWorkerThatIsAheadDoesNotFillThatOfAnother) {
  const Simulation<LargeLetters> simulation{{}, {2, 2000.0}, 1};
  const auto expected = run_sequential(simulation, {.digest = true});
  for (std::uint64_t schedule = 1; schedule <= 10; ++schedule) {
    ReplayOptions options;
    options.seed = schedule;
    options.worker.optimism = Optimism::none;
    options.worker.max_memory = std::size_t{2} << 20;
    options.worker.digest = true;
    EXPECT_EQ(run_replayed(simulation, options).digest, expected.digest) << "schedule " << schedule;
  }
}

// Every event sends four of the far future to the other worker: no engine can hold them all.
struct Flood {
  using Time = double;
  struct State {};
  struct Event {
    std::array<std::uint64_t, 32> content;
  };
  void init(Context<Flood>& lp) const { lp.send(lp.self(), 1, {}); }
  void handle(Context<Flood>& lp, const Event&) const {
    lp.send(lp.self(), 1, {});
    for (int i = 0; i < 4; ++i) lp.send(1 - lp.self(), 1e6, {});
  }
};

TEST(EventMemory, WhatNeedsMoreThanTheBytesEndsWithAnErrorThatNamesThem) {
  const Simulation<Flood> simulation{{}, {2, 1e7}, 1};
  const auto expect_error = [](auto run, const std::string& text) {
    try {
      run();
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  constexpr std::size_t max_memory = std::size_t{1} << 19;
  expect_error([&] { static_cast<void>(run_sequential(simulation, {.max_memory = max_memory})); }, "max_memory");
  for (const std::size_t max_events : {std::size_t{1024}, std::size_t{1} << 24}) {
    ReplayOptions options;
    options.worker.max_memory = max_memory;
    options.worker.max_events = max_events;
    expect_error([&] { static_cast<void>(run_replayed(simulation, options)); }, "the event memory of worker ");
  }
  RunOptions options;
  options.max_memory = 64;
  expect_error([&] { static_cast<void>(run(simulation, options)); }, "max_memory: the 2 processes of a worker need");
}

TEST(AvailableMemory, IsThatOfTheHostOrTheLeastLimitOfTheCgroups) {
  const std::filesystem::path root = std::filesystem::path(testing::TempDir()) / "available_memory";
  const auto write = [&](const char* name, const char* text) {
    std::filesystem::create_directories((root / name).parent_path());
    std::ofstream(root / name) << text;
  };
  std::filesystem::remove_all(root);
  write("proc/meminfo", "MemTotal: 4000 kB\nMemAvailable: 3000 kB\n");
  EXPECT_EQ(available_memory(root), 3000U * 1024);
  write("proc/self/cgroup", "0::/user/job\n");
  write("sys/fs/cgroup/user/job/memory.max", "max\n");
  EXPECT_EQ(available_memory(root), 3000U * 1024);
  write("sys/fs/cgroup/user/memory.max", "1048576\n");
  EXPECT_EQ(available_memory(root), 1048576U);
  write("proc/self/cgroup", "7:cpu,cpuacct:/\n4:memory:/job\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(available_memory(root), 3000U * 1024);
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "2097152\n");
  EXPECT_EQ(available_memory(root), 2097152U);
  EXPECT_GT(available_memory(), 1U << 20);
}

}  // namespace
}  // namespace laxity::timewarp
