// The engines on PHOLD: the optimistic engine commits the same events as the sequential one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "laxity/timewarp/replay/replayed_run.hpp"
#include "laxity/timewarp/run.hpp"
#include "laxity/timewarp/sequential.hpp"
#include "workloads/phold/phold.hpp"

namespace laxity::timewarp {
namespace {

struct Team {
  int threads;
  int processes;
};

template <phold::Shape shape>
Simulation<phold::Phold<shape>> small_phold(double remote, typename phold::Phold<shape>::Time end) {
  phold::Options options;
  options.logical_processes = 60;
  options.events_per_lp = 5;
  options.mean_delay = shape == phold::Shape::batch ? 0.3 : 1.0;
  options.min_delay = shape == phold::Shape::batch ? 1 : 0;
  options.receivers = phold::Receivers::remote;
  options.remote = remote;
  options.parts = 4;
  return {phold::Phold<shape>(options), {options.logical_processes, end}, 7};
}

template <phold::Shape shape>
void expect_equal_on(Team team, Optimism optimism, typename phold::Phold<shape>::Time end) {
  const auto simulation = small_phold<shape>(0.5, end);
  const auto expected = run_sequential(simulation, {.digest = true});
  RunOptions options;
  options.threads = team.threads;
  options.processes = team.processes;
  options.worker.digest = true;
  options.worker.optimism = optimism;
  options.worker.max_events = 1 << 16;
  for (const bool lookahead : {false, true}) {
    options.worker.lookahead = lookahead;
    const auto result = run(simulation, options);
    EXPECT_EQ(result.total().committed, expected.total().committed);
    EXPECT_EQ(result.digest, expected.digest);
    for (LpId lp = 0; lp < 60; ++lp) EXPECT_EQ(result.states[lp].sum, expected.states[lp].sum) << "process " << lp;
    const Statistics total = result.total();
    EXPECT_EQ(total.processed, total.committed + total.rolled_back);
  }
}

TEST(TimeWarp, ThreadsCommitWhatTheSequentialRunCommits) {
  for (const Optimism optimism : {Optimism::none, Optimism::adaptive, Optimism::scale_free}) {
    expect_equal_on<phold::Shape::continuous>({.threads = 2, .processes = 0}, optimism, 200.0);
    expect_equal_on<phold::Shape::batch>({.threads = 2, .processes = 0}, optimism, 200);
  }
}

TEST(TimeWarp, ForkedProcessesCommitWhatTheSequentialRunCommits) {
  expect_equal_on<phold::Shape::continuous>({.threads = 1, .processes = 2}, Optimism::scale_free, 200.0);
  expect_equal_on<phold::Shape::batch>({.threads = 2, .processes = 2}, Optimism::scale_free, 200);
}

TEST(TimeWarp, QueuesBetweenThreadsGiveTheSequentialResult) {
  const auto simulation = small_phold<phold::Shape::continuous>(0.9, 60.0);
  const auto expected = run_sequential(simulation, {.digest = true});
  RunOptions options;
  options.threads = 3;
  options.worker.digest = true;
  options.worker.gvt_interval = 100;
  options.worker.max_events = 1 << 16;
  for (const QueueKind kind : {QueueKind::mutex, QueueKind::spin_lock, QueueKind::lock_free}) {
    for (const std::size_t queues : {1U, 3U, 8U}) {
      EXPECT_EQ(run_over_queues(simulation, options, kind, queues).digest, expected.digest)
          << "kind " << static_cast<int>(kind) << ", " << queues << " queues";
    }
  }
  options.processes = 2;
  EXPECT_THROW(static_cast<void>(run_over_queues(simulation, options, QueueKind::mutex, 1)), UsageError);
}

// In the batch shape many events have the time of the end; all of them belong to the run.
TEST(TimeWarp, AllEnginesEndWhereTheModelEnds) {
  phold::Options options;
  options.logical_processes = 60;
  options.events_per_lp = 5;
  options.mean_delay = 0.3;
  options.until_handled = 40;
  const Simulation<phold::Phold<phold::Shape::batch>> simulation{
      phold::Phold<phold::Shape::batch>(options), {options.logical_processes, 1000}, 7};
  const auto expected = run_sequential(simulation, {.digest = true});
  ASSERT_TRUE(expected.ended_at.has_value());
  EXPECT_LT(*expected.ended_at, 100);
  std::uint64_t max_handled = 0;
  for (const auto& state : expected.states) max_handled = std::max(max_handled, state.handled);
  EXPECT_GE(max_handled, 40U);
  for (const Team team : {Team{1, 0}, Team{3, 0}, Team{1, 2}}) {
    for (const std::uint64_t gvt_interval : {10U, 100'000U}) {
      RunOptions run_options;
      run_options.threads = team.threads;
      run_options.processes = team.processes;
      run_options.worker = {.optimism = Optimism::none, .gvt_interval = gvt_interval, .max_events = 1 << 16};
      run_options.worker.digest = true;
      const auto result = run(simulation, run_options);
      EXPECT_EQ(result.ended_at, expected.ended_at);
      EXPECT_EQ(result.digest, expected.digest);
      EXPECT_EQ(result.total().committed, expected.total().committed);
      for (LpId lp = 0; lp < 60; ++lp) EXPECT_EQ(result.states[lp].sum, expected.states[lp].sum) << "process " << lp;
    }
  }
}

TEST(TimeWarp, OneWorkerNeedsNoRollback) {
  const auto simulation = small_phold<phold::Shape::continuous>(0.5, 100.0);
  const auto result = run(simulation, {.worker = {.max_events = 1 << 16}});
  EXPECT_EQ(result.total().rolled_back, 0U);
  EXPECT_EQ(result.total().committed, run_sequential(simulation).total().committed);
}

TEST(TimeWarp, AWatchFunctionMayEndASequentialRun) {
  const auto simulation = small_phold<phold::Shape::continuous>(0.5, 1e9);
  std::uint64_t looks = 0;
  const auto watch = [&](std::uint64_t time, std::uint64_t committed) {
    EXPECT_EQ(committed, ++looks * 65536);
    EXPECT_GT(TimeBits<double>::time(time), 0.0);
    return looks < 3;
  };
  EXPECT_THROW(static_cast<void>(run_sequential(simulation, {.watch = watch})), Interrupted);
  EXPECT_EQ(looks, 3U);
}

#if defined(__has_builtin) && __has_builtin(__builtin_clear_padding)
TEST(TimeWarp, PaddingDoesNotChangeADigest) {
  struct Padded {
    char letter;
    double number;
  };
  alignas(Padded) std::byte memory[2][sizeof(Padded)];
  std::uint64_t hashes[2];
  for (int i = 0; i < 2; ++i) {
    std::memset(memory[i], i, sizeof(Padded));
    auto* padded = reinterpret_cast<Padded*>(memory[i]);
    padded->letter = 'a';
    padded->number = 2.5;
    hashes[i] = detail::mixed_bytes(1, *padded);
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}
#endif

// Every process receives an event from its neighbor; process 3 breaks a rule at its second event.
struct RuleBreaker {
  using Time = double;
  struct State {
    int seen = 0;
  };
  struct Event {
    int unused = 0;
  };
  int how = 0;

  void init(Context<RuleBreaker>& lp) const { lp.send(lp.self(), 1.0 + lp.self(), {}); }
  void handle(Context<RuleBreaker>& lp, const Event& event) const {
    if (++lp.state().seen == 2 && lp.self() == 3) {
      if (how == 0) lp.send(99, 1.0, event);
      if (how == 1) lp.send(0, -0.5, event);
      if (how == 2) lp.send(0, std::numeric_limits<double>::quiet_NaN(), event);
      if (how == 3) lp.send(0, 0.0, event);
    }
    lp.send((lp.self() + 1) % lp.logical_processes(), 10.0, event);
  }
};

std::string error_of(int how, bool optimistic) {
  const Simulation<RuleBreaker> simulation{{.how = how}, {8, 1000.0}, 1};
  try {
    if (optimistic) {
      static_cast<void>(run(simulation, {.threads = 2, .worker = {.max_events = 4096}}));
    } else {
      static_cast<void>(run_sequential(simulation));
    }
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(TimeWarp, BrokenRulesNameProcessTimeAndSender) {
  const std::string place = "logical process 3 at time 13.000000 (event of 2) sends to ";
  const std::string whats[] = {
      "99: there is no such process; the number of processes is 8",
      "0: the delay is -0.500000, an event in the past",
      "0: the delay is not a number",
      "0: the delay is 0; to send without delay, use send_now()",
  };
  for (int how = 0; how < 4; ++how) {
    EXPECT_EQ(error_of(how, false), place + whats[how]);
    EXPECT_NE(error_of(how, true).find(place + whats[how]), std::string::npos) << error_of(how, true);
  }
}

// Throws only in a state that a sequential run never reaches: an event that is processed too early is rolled back.
struct FailsWhenOutOfOrder {
  using Time = double;
  struct State {
    double last = 0;
  };
  struct Event {
    double sent_at = 0;
  };
  void init(Context<FailsWhenOutOfOrder>& lp) const {
    if (lp.self() == 0) lp.send(1, 0.5, {0.25});
    for (int i = 0; i < 50; ++i) lp.send(lp.self(), 1.0 + i, {0.0});
  }
  void handle(Context<FailsWhenOutOfOrder>& lp, const Event& event) const {
    if (event.sent_at != 0 && lp.state().last >= lp.now()) throw Error("out of order");
    lp.state().last = lp.now();
    if (event.sent_at != 0) lp.send(1 - lp.self(), 0.3 + lp.random().unit(), {lp.now()});
  }
};

TEST(TimeWarp, AnExceptionThatIsRolledBackHasNoEffect) {
  const Simulation<FailsWhenOutOfOrder> simulation{{}, {2, 2000.0}, 3};
  const auto expected = run_sequential(simulation, {.digest = true});
  const auto result = run(simulation, {.threads = 2, .worker = {.max_events = 4096, .digest = true}});
  EXPECT_EQ(result.digest, expected.digest);
}

// Without a time window and without GVT rounds in between, the same run takes about 12,000 records per worker.
TEST(TimeWarp, LittleEventMemoryIsEnough) {
  const auto simulation = small_phold<phold::Shape::continuous>(0.5, 200.0);
  const auto expected = run_sequential(simulation, {.digest = true});
  RunOptions options;
  options.threads = 4;
  options.worker.digest = true;
  options.worker.optimism = Optimism::none;
  options.worker.gvt_interval = 1'000'000'000;
  options.worker.max_events = 1024;
  EXPECT_EQ(run(simulation, options).digest, expected.digest);
}

// On virtual workers, so that every run needs the same number of records.
TEST(TimeWarp, ATenthOfThePeakEventMemoryIsEnough) {
  const auto simulation = small_phold<phold::Shape::continuous>(0.5, 60.0);
  ReplayOptions options;
  options.workers = 4;
  options.worker = {.optimism = Optimism::none, .gvt_interval = 1'000'000'000, .max_events = 1 << 20};
  options.worker.digest = true;
  const auto unbounded = run_replayed(simulation, options);
  std::uint64_t taken = 0;
  for (const Statistics& worker : unbounded.workers) taken = std::max(taken, worker.peak_events);
  for (const std::uint64_t part : {10U, 40U}) {
    options.worker.max_events = taken / part;
    EXPECT_EQ(run_replayed(simulation, options).digest, unbounded.digest) << "1/" << part << " of " << taken;
  }
  EXPECT_EQ(unbounded.digest, run_sequential(simulation, {.digest = true}).digest);
}

// Process 0 sends more events to the other worker at one instant than there are stubs; none is irrevocable before all are.
TEST(TimeWarp, TooManyRemoteEventsAtOneInstantAreAnError) {
  struct Burst {
    using Time = double;
    struct State {};
    struct Event {};
    void init(Context<Burst>& lp) const {
      if (lp.self() != 0) return;
      for (int i = 0; i < 3; ++i) lp.send(0, 1.0, {});
    }
    void handle(Context<Burst>& lp, const Event&) const {
      for (int i = 0; i < 600 && lp.self() == 0; ++i) lp.send(1, 1.0 + i, {});
    }
  };
  const Simulation<Burst> simulation{{}, {2, 1e4}, 1};
  EXPECT_EQ(run_sequential(simulation).total().committed, 3U + 3 * 600U);
  try {
    static_cast<void>(run(simulation, {.threads = 2, .worker = {.max_events = 1024}}));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("event memory of worker 0"), std::string::npos) << error.what();
  }
  EXPECT_EQ(run(simulation, {.threads = 2, .worker = {.max_events = 4096}}).total().committed, 3U + 3 * 600U);
}

TEST(TimeWarp, ExhaustedEventMemoryIsAnError) {
  const auto simulation = small_phold<phold::Shape::continuous>(0.5, 1e6);
  RunOptions options;
  options.worker.max_events = 1023;
  EXPECT_THROW(static_cast<void>(run(simulation, options)), UsageError);
  struct Flood {
    using Time = double;
    struct State {};
    struct Event {};
    void init(Context<Flood>& lp) const { lp.send(0, 1.0, {}); }
    void handle(Context<Flood>& lp, const Event&) const {
      for (int i = 0; i < 2; ++i) lp.send(lp.self(), 1.0, {});
    }
  };
  const Simulation<Flood> flood{{}, {2, 1e6}, 1};
  try {
    static_cast<void>(run(flood, {.threads = 2, .worker = {.max_events = 2048}}));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("event memory of worker"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace laxity::timewarp
