// Shared events: each is read in the memory of its sender, and that memory is reused.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "laxity/timewarp/exchange/loaned_events.hpp"
#include "laxity/timewarp/replay/replayed_run.hpp"
#include "laxity/timewarp/run.hpp"
#include "laxity/timewarp/sequential.hpp"
#include "tests/unit/timewarp/post_model.hpp"

namespace laxity::timewarp {
namespace {

constexpr std::uint64_t far_off = 1000;  // beyond GVT

TEST(LoanedEvents, AreReusedAfterTheirRelease) {
  LoanedEvents<std::uint64_t> loaned(3, MemoryPlacement::local);
  std::vector<SharedEvent<std::uint64_t>*> events;
  for (std::uint64_t i = 0; i < 3; ++i) events.push_back(loaned.loan(i, i, far_off));
  EXPECT_EQ(loaned.loan(3, 3, far_off), nullptr) << "all are on loan";
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(events[i]->payload(), i);
  EXPECT_EQ(loaned.in_use(), 3U);
  events[1]->release();
  EXPECT_EQ(loaned.loan(4, 4, far_off), events[1]) << "the one that was released";
  EXPECT_EQ(events[1]->payload(), 4U);
  EXPECT_EQ(loaned.loan(5, 5, far_off), nullptr);
  for (SharedEvent<std::uint64_t>* event : events) event->release();
  EXPECT_EQ(loaned.in_use(), 0U);
  EXPECT_EQ(loaned.peak_in_use(), 3U);
}

TEST(LoanedEvents, BeyondGvtAreNotPolled) {
  LoanedEvents<std::uint64_t> loaned(1, MemoryPlacement::local);
  loaned.loan(1, 20, 10)->release();
  EXPECT_EQ(loaned.loan(2, 30, 20), nullptr) << "an event at GVT may still have to be handled";
  EXPECT_NE(loaned.loan(2, 30, 21), nullptr);
}

using Parcels = Post<128>;  // of a kibibyte

Simulation<Parcels> post(double end_time) { return {{}, {24, end_time}, 5}; }

// Sanitizers leave too little address space for the default number of events of this size.
Result<Parcels> sequential_run(const Simulation<Parcels>& simulation) {
  return run_sequential(simulation, {.digest = true, .max_events = 4096});
}

TEST(SharedEvents, ReuseAllMemoryOnVirtualWorkers) {
  const auto simulation = post(300);
  const auto expected = sequential_run(simulation);
  ReplayOptions options;
  options.workers = 3;
  options.worker.events = SentEvents::shared;
  options.worker.max_events = 8192;
  options.worker.digest = true;
  const auto result = run_replayed(simulation, options);  // fails if any is left over
  EXPECT_EQ(result.digest, expected.digest);
  const Statistics total = result.total();
  EXPECT_GT(total.remote_events, 4U * 3U * 8192U);
  EXPECT_GE(total.shared_events, total.remote_events)
      << "some were copied because memory was lost";  // events sent by init() count too
  options.worker.events = SentEvents::copied;
  EXPECT_EQ(run_replayed(simulation, options).total().shared_events, 0U);
}

TEST(SharedEvents, AreCopiedWhenMemoryIsShort) {
  const auto simulation = post(60);
  const auto expected = sequential_run(simulation);
  ReplayOptions options;
  options.workers = 3;
  options.worker.events = SentEvents::shared;
  options.worker.optimism = Optimism::none;
  options.worker.gvt_interval = 1'000'000'000;
  options.worker.max_events = 256;
  options.worker.digest = true;
  for (options.seed = 1; options.seed <= 6; ++options.seed) {
    const auto result = run_replayed(simulation, options);
    EXPECT_EQ(result.digest, expected.digest) << "schedule " << options.seed;
    EXPECT_GT(result.total().shared_events, 0U);
  }
}

RunOptions threads(int count) {
  RunOptions options;
  options.threads = count;
  options.pin = PinPolicy::never;
  options.worker.events = SentEvents::shared;
  options.worker.max_events = 4096;
  options.worker.digest = true;
  return options;
}

TEST(SharedEvents, ThreadsCommitWhatTheSequentialRunCommits) {
  const auto simulation = post(100);
  const auto expected = sequential_run(simulation);
  for (const int count : {2, 4}) {
    for (const std::size_t depth : {8U, 4096U}) {
      RunOptions options = threads(count);
      options.ring_depth = depth;
      const auto result = run(simulation, options);
      EXPECT_EQ(result.digest, expected.digest);
      EXPECT_GT(result.total().shared_events, 1000U);
    }
    for (const QueueKind kind : {QueueKind::mutex, QueueKind::spin_lock, QueueKind::lock_free}) {
      EXPECT_EQ(run_over_queues(simulation, threads(count), kind, 2).digest, expected.digest);
    }
  }
}

TEST(SharedEvents, EndWhereTheModelEndsTheRun) {
  Simulation<Parcels> simulation = post(1000);
  simulation.model.until_handled = 300;
  const auto expected = sequential_run(simulation);
  ASSERT_TRUE(expected.ended_at.has_value());
  RunOptions options = threads(3);
  options.worker.optimism = Optimism::none;
  const auto result = run(simulation, options);
  EXPECT_EQ(result.ended_at, expected.ended_at);
  EXPECT_EQ(result.digest, expected.digest);
}

// A worker that fails or is late may be the one from whose memory others read.
TEST(SharedEvents, AFailureOfTheModelIsReported) {
  struct Faulty {
    using Time = double;
    struct State {
      int seen = 0;
    };
    struct Event {
      std::uint64_t value;
    };
    void init(Context<Faulty>& lp) const { lp.send(lp.self(), 1.0 + lp.self(), {1}); }
    void handle(Context<Faulty>& lp, const Event& event) const {
      const bool breaks = ++lp.state().seen == 200 && lp.self() == 3;
      lp.send(breaks ? 99 : (lp.self() + 5) % lp.logical_processes(), 10.0, {event.value + 1});
    }
  };
  const Simulation<Faulty> simulation{{}, {8, 1e6}, 1};
  for (int turn = 0; turn < 10; ++turn) {
    try {
      static_cast<void>(run(simulation, threads(3)));
      FAIL() << "no error";
    } catch (const Error& error) {
      const std::string what = error.what();
      EXPECT_NE(what.find("logical process 3 at time "), std::string::npos) << what;
      EXPECT_NE(what.find("(event of 6) sends to 99"), std::string::npos) << what;
    }
  }
}

TEST(SharedEvents, RequireThreads) {
  RunOptions options = threads(1);
  options.processes = 2;
  EXPECT_THROW(static_cast<void>(run(post(1), options)), UsageError);
}

}  // namespace
}  // namespace laxity::timewarp
