// The lookahead of a model: every engine refuses sends that violate it, and commits the sequential events otherwise.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "laxity/timewarp/replay/replayed_run.hpp"
#include "laxity/timewarp/run.hpp"
#include "laxity/timewarp/sequential.hpp"

namespace laxity::timewarp {
namespace {

// Process 0 sends to `to` at time 5; all others send to their neighbors as the lookahead allows.
struct Calls {
  using Time = double;
  struct State {
    std::uint64_t calls = 0;
  };
  struct Event {
    std::uint64_t number;
  };

  double promised = 2;
  LpId to = 1;
  double delay = 2;  // 0: send_now()
  bool may_end = false;

  void init(Context<Calls>& lp) const { lp.send((lp.self() + 1) % lp.logical_processes(), 0.5, {0}); }
  void handle(Context<Calls>& lp, const Event& event) const {
    ++lp.state().calls;
    if (lp.self() == 0 && lp.now() >= 5) {
      if (delay == 0) {
        if (event.number < 40) lp.send_now(to, {event.number + 1});
      } else {
        lp.send(to, delay, {event.number + 1});
      }
    }
    const double further = std::isnan(promised) || promised < 0 ? 0 : promised;
    lp.send((lp.self() + 1) % lp.logical_processes(), further + lp.random().unit() + 1e-3, {event.number + 1});
  }
  [[nodiscard]] double lookahead() const { return promised; }
  [[nodiscard]] bool ends(LpId, const State& state) const { return may_end && state.calls == 9; }
};

Simulation<Calls> calls(const Calls& model) { return {model, {4, 30}, 7}; }

// The error of a sequential run, and of an optimistic run with the names of the failed workers; empty if there is none.
std::string refusal_of(const Calls& model) {
  std::string said[2];
  try {
    static_cast<void>(run_sequential(calls(model)));
  } catch (const ModelError& error) {
    said[0] = error.what();
  }
  RunOptions options;
  options.threads = 2;
  options.pin = PinPolicy::never;
  try {
    static_cast<void>(run(calls(model), options));
  } catch (const Error& error) {
    said[1] = error.what();
  }
  EXPECT_EQ(said[0].empty(), said[1].empty()) << said[1];
  EXPECT_NE(said[1].find(said[0]), std::string::npos) << said[1];
  return said[0];
}

TEST(Lookahead, BoundsTheDelayOfEventsToOtherProcesses) {
  EXPECT_EQ(refusal_of({}), "");
  EXPECT_NE(refusal_of({.delay = 1.5}).find("sends to 1: the delay is 1.500000, less than the model's lookahead of 2"),
            std::string::npos);
  EXPECT_NE(refusal_of({.delay = 0}).find("less than the model's lookahead"), std::string::npos);
  EXPECT_NE(refusal_of({.delay = -1}).find("an event in the past"), std::string::npos);
}

TEST(Lookahead, DoesNotBoundEventsToTheSameProcess) {
  EXPECT_EQ(refusal_of({.to = 0, .delay = 1.5}), "");
  EXPECT_EQ(refusal_of({.to = 0, .delay = 0}), "");
}

TEST(Lookahead, MustBeANumberAndNotNegative) {
  EXPECT_EQ(refusal_of({.promised = 0, .delay = 1e-9}), "");
  EXPECT_NE(refusal_of({.promised = -1}).find("the lookahead of the model is -1"), std::string::npos);
  EXPECT_NE(refusal_of({.promised = std::nan("")}).find("the lookahead of the model is"), std::string::npos);
}

TEST(Lookahead, IsRefusedForModelsThatEndTheRun) {
  EXPECT_NE(refusal_of({.may_end = true}).find("ends the run: a model that does so must have no lookahead"),
            std::string::npos);
  EXPECT_EQ(refusal_of({.promised = 0, .may_end = true}), "");
}

TEST(Lookahead, MayReachBeyondTheGreatestTime) {
  EXPECT_EQ(refusal_of({.promised = std::numeric_limits<double>::infinity(), .to = 0}), "");
  EXPECT_EQ(refusal_of({.promised = 1e308, .to = 0}), "");
}

// A run that ignores the lookahead keeps history of all events beyond GVT; a run that uses it keeps less.
TEST(Lookahead, ReducesHistory) {
  std::uint64_t records[2] = {0, 0};
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Simulation<Calls> simulation = calls({.to = 0});
    simulation.bounds = {40, 60};
    const auto expected = run_sequential(simulation, {.digest = true});
    for (const bool used : {false, true}) {
      ReplayOptions options;
      options.workers = 3;
      options.seed = seed;
      options.worker.gvt_interval = 4;
      options.worker.turn = 2;
      options.worker.digest = true;
      options.worker.lookahead = used;
      const auto result = run_replayed(simulation, options);
      EXPECT_EQ(result.digest, expected.digest) << "seed " << seed;
      records[used] += result.total().peak_events;
    }
  }
  EXPECT_LT(records[true], records[false]) << records[true] << " and " << records[false];
}

}  // namespace
}  // namespace laxity::timewarp
