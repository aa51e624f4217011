// Events of hundreds of kilobytes, on every kind of worker.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "laxity/timewarp/run.hpp"
#include "laxity/timewarp/sequential.hpp"

namespace laxity::timewarp {
namespace {

template <std::size_t bytes>
struct LargeEvents {
  using Time = double;
  struct State {
    std::uint64_t sum = 0;
  };
  struct Event {
    std::array<std::uint8_t, bytes> content;
  };

  void init(Context<LargeEvents>& lp) const {
    static constexpr Event first{};
    lp.send(lp.self(), 1 + lp.random().unit(), first);
  }
  void handle(Context<LargeEvents>& lp, const Event& event) const {
    thread_local Event next;
    next = event;
    ++next.content[lp.random().below(bytes)];
    lp.state().sum = lp.state().sum * 3 + event.content[bytes / 2];
    lp.send(lp.random().below(lp.logical_processes()), 0.5 + lp.random().unit(), next);
  }
};

template <std::size_t bytes>
void expect_the_sequential_result() {
  const Simulation<LargeEvents<bytes>> simulation{{}, {4, 10.0}, 3};
  const auto expected = run_sequential(simulation, {.digest = true});
  RunOptions options;
  options.worker.digest = true;
  options.worker.max_events = 1024;
  options.threads = 2;
  EXPECT_EQ(run(simulation, options).digest, expected.digest) << bytes << " bytes, threads";
  options.threads = 1;
  options.processes = 2;
  EXPECT_EQ(run(simulation, options).digest, expected.digest) << bytes << " bytes, processes";
}

TEST(LargeEvents, GiveTheSequentialResult) {
  expect_the_sequential_result<60'000>();
  expect_the_sequential_result<300'000>();
  expect_the_sequential_result<1'100'000>();
}

}  // namespace
}  // namespace laxity::timewarp
