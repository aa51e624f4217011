// Payloads that are read from the memory of their sender: each is received unchanged, and its memory is reused.
#include "laxity/timewarp/exchange/attach_exchange.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "laxity/launch/team.hpp"
#include "laxity/random.hpp"
#include "laxity/timewarp/exchange/exchange.hpp"
#include "laxity/timewarp/run.hpp"
#include "laxity/timewarp/sequential.hpp"
#include "tests/unit/timewarp/post_model.hpp"

namespace laxity::timewarp {
namespace {

// Compares the buffer with a deque of the payloads that must be in it.
template <std::size_t words>
void add_and_drop() {
  StablePayloadBuffer<Block<words>> buffer;
  std::deque<std::pair<const Block<words>*, std::uint64_t>> expected;
  SeededRandom random(words);
  std::uint64_t added = 0, dropped = 0;
  for (int turn = 0; turn < 20'000; ++turn) {
    if (random.below(2) == 0 || expected.empty()) {
      Block<words> block{};
      block.of.back() = ++added;
      expected.emplace_back(buffer.add(block), added);
    } else {
      const std::uint32_t read = 1 + random.below(static_cast<std::uint32_t>(expected.size()));
      dropped += read;
      expected.erase(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(read));
      buffer.free_read(dropped);
    }
    if (turn % 50 == 0) {
      for (const auto& [place, number] : expected) ASSERT_EQ(place->of.back(), number) << "turn " << turn;
    }
  }
}

TEST(StablePayloadBuffer, KeepsItsPayloadsInPlaceUntilTheyAreRead) {
  add_and_drop<1>();
  add_and_drop<5>();
  add_and_drop<1000>();
  add_and_drop<20'000>();  // larger than a block
}

RunOptions on_processes(int processes, int threads) {
  RunOptions options;
  options.threads = threads;
  options.processes = processes;
  options.pin = PinPolicy::never;
  options.worker.max_events = 4096;
  options.worker.digest = true;
  return options;
}

template <std::size_t words>
void expect_the_sequential_run(double end_time) {
  const Simulation<Post<words>> simulation{{}, {24, end_time}, 5};
  const auto expected = run_sequential(simulation, {.digest = true, .max_events = 4096});
  for (const auto& [processes, threads] : {std::pair{2, 1}, {4, 1}, {2, 2}}) {
    for (const std::size_t depth : {8U, 4096U}) {
      RunOptions options = on_processes(processes, threads);
      options.ring_depth = depth;
      options.worker.optimism = depth == 8 ? Optimism::none : Optimism::scale_free;
      const auto result = run_over_attached_memory(simulation, options);
      EXPECT_EQ(result.digest, expected.digest) << processes << " x " << threads << ", depth " << depth;
      EXPECT_GT(result.total().remote_events, 0U);
    }
  }
}

TEST(AttachExchange, CommitsWhatTheSequentialRunCommits) {
  expect_the_sequential_run<1>(50);
  expect_the_sequential_run<5>(50);
  expect_the_sequential_run<128>(50);
  expect_the_sequential_run<1000>(10);
}

// A worker that has ended may be the one from whose memory others still read.
TEST(AttachExchange, EndsWhereTheModelEndsTheRun) {
  Simulation<Post<128>> simulation{{}, {24, 1000}, 5};
  simulation.model.until_handled = 300;
  const auto expected = run_sequential(simulation, {.digest = true, .max_events = 4096});
  ASSERT_TRUE(expected.ended_at.has_value());
  for (int turn = 0; turn < 5; ++turn) {
    RunOptions options = on_processes(3, 1);
    options.worker.optimism = Optimism::none;
    const auto result = run_over_attached_memory(simulation, options);
    EXPECT_EQ(result.ended_at, expected.ended_at);
    EXPECT_EQ(result.digest, expected.digest);
  }
}

// Worker 0 dies before its payload is read, so the event of worker 1 that arrived with it is dropped. The anti-message
// that worker 1 sends later has nothing to cancel.
TEST(AttachExchange, AfterTheDeathOfASenderNothingIsReceivedThatCouldCancelWhatWasDropped) {
  using Sent = Message<Post<5>>;
  Team team({.processes = 3, .pin = PinPolicy::never, .on_loss = LossPolicy::go_on});
  auto& received = team.arena().object<std::atomic<std::size_t>>({"received"});
  const TeamReport report = team.run([&](Worker& worker) {
    AttachExchange<Post<5>> exchange(worker, 8);
    Sent message{};
    message.kind = MessageKind::event;
    ASSERT_TRUE(worker.barrier());
    if (worker.id() != 2) exchange.send(2, message);
    exchange.flush();
    ASSERT_TRUE(worker.barrier());
    if (worker.id() == 0) raise(SIGKILL);
    ASSERT_TRUE(worker.barrier());
    const auto count = [&](std::size_t, const Sent&) { ++received; };
    if (worker.id() == 2) exchange.receive(8, count);
    ASSERT_TRUE(worker.barrier());
    message.make_anti_message();
    if (worker.id() == 1) exchange.send(2, message);
    exchange.flush();
    ASSERT_TRUE(worker.barrier());
    if (worker.id() == 2) exchange.receive(8, count);
  });
  EXPECT_EQ(report.losses(), "worker 0 (process 0, thread 0) was killed: signal 9, Killed");
  EXPECT_EQ(received, 0U);
}

TEST(AttachExchange, RequiresProcesses) {
  const Simulation<Post<1>> simulation{{}, {24, 1}, 5};
  EXPECT_THROW(static_cast<void>(run_over_attached_memory(simulation, on_processes(0, 2))), UsageError);
}

}  // namespace
}  // namespace laxity::timewarp
