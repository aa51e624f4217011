// All kinds of state saving give the sequential result.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "laxity/timewarp/model_check.hpp"
#include "laxity/timewarp/run.hpp"
#include "laxity/timewarp/sequential.hpp"

namespace laxity::timewarp {
namespace {

// Tokens wander. A process combines the values that they carry in a way that depends on the order and can be reversed.
template <StateSaving saving>
struct Wanderers {
  using Time = double;
  static constexpr StateSaving state_saving = saving;
  struct State {
    std::uint64_t sum = 0;
    std::array<std::uint64_t, 40> seen{};
  };
  struct Event {
    std::uint64_t value;
  };

  void init(Context<Wanderers>& lp) const {
    for (std::uint64_t i = 1; i <= 4; ++i) lp.send(lp.self(), lp.random().unit() + 1e-9, {i});
  }
  void handle(Context<Wanderers>& lp, const Event& event) const {
    lp.state().sum = lp.state().sum * 3 + event.value;
    ++lp.state().seen[event.value % 40];
    const LpId to = lp.random().below(lp.logical_processes());
    lp.send(to, lp.random().unit() + 1e-9, {event.value + lp.state().seen[0]});
  }
  void reverse(Context<Wanderers>& lp, const Event& event) const {
    --lp.state().seen[event.value % 40];
    constexpr std::uint64_t third = 0xaaaaaaaaaaaaaaabU;  // 3 * third == 1 mod 2^64
    lp.state().sum = (lp.state().sum - event.value) * third;
  }
};

template <StateSaving saving>
Statistics expect_sequential_result() {
  const Simulation<Wanderers<saving>> simulation{{}, {40, 60.0}, 11};
  const auto expected = run_sequential(simulation, {.digest = true});
  RunOptions options;
  options.threads = 3;
  options.worker.digest = true;
  options.worker.optimism = Optimism::none;
  options.worker.gvt_interval = 50;
  options.worker.max_events = 1 << 16;
  const auto result = run(simulation, options);
  EXPECT_EQ(result.digest, expected.digest);
  EXPECT_EQ(result.total().committed, expected.total().committed);
  return result.total();
}

TEST(StateSaving, CopiesGiveTheSequentialResult) {
  EXPECT_EQ(expect_sequential_result<StateSaving::copy>().coasted, 0U);
}

TEST(StateSaving, PeriodicCheckpointsAndCoastingForwardGiveTheSequentialResult) {
  const Statistics statistics = expect_sequential_result<StateSaving::periodic>();
  EXPECT_TRUE(statistics.rolled_back < 100 || statistics.coasted > 0);
}

TEST(StateSaving, ReverseHandlersGiveTheSequentialResult) { expect_sequential_result<StateSaving::reverse>(); }

// States of 9 MB, above the size of a thread's stack.
template <StateSaving saving>
struct LargeStates {
  using Time = double;
  static constexpr StateSaving state_saving = saving;
  struct State {
    std::array<std::uint32_t, 9 << 18> cells{};
  };
  struct Event {
    std::uint32_t cell;
  };

  void init(Context<LargeStates>& lp) const { lp.send(lp.self(), 1 + lp.random().unit(), {0}); }
  void handle(Context<LargeStates>& lp, const Event& event) const {
    ++lp.state().cells[event.cell];
    const LpId to = lp.random().below(lp.logical_processes());
    lp.send(to, 0.1 + lp.random().unit(), {lp.random().below(9 << 18)});
  }
  // Reading 9 MB after each event would take seconds.
  [[nodiscard]] std::uint64_t digest(const State& state) const { return state.cells[0]; }
  [[nodiscard]] std::uint64_t digest(const Event& event) const { return event.cell; }
};

template <StateSaving saving>
void expect_large_states_work() {
  const Simulation<LargeStates<saving>> simulation{{}, {2, 3.0}, 3};
  const auto expected = run_sequential(simulation, {.digest = true});
  RunOptions options;
  options.threads = 2;
  options.worker.digest = true;
  options.worker.max_events = 1024;
  const auto result = run(simulation, options);
  EXPECT_EQ(result.digest, expected.digest);
  ASSERT_EQ(result.states.size(), 2U);
  EXPECT_TRUE(result.states[1].cells == expected.states[1].cells);
  ModelCheck check(simulation, Check::rollback);
  EXPECT_EQ(check.run(3), 3U);
}

TEST(StateSaving, StatesAboveTheSizeOfTheStackAreCopied) { expect_large_states_work<StateSaving::copy>(); }
TEST(StateSaving, StatesAboveTheSizeOfTheStackAreSavedPeriodically) {
  expect_large_states_work<StateSaving::periodic>();
}

}  // namespace
}  // namespace laxity::timewarp
