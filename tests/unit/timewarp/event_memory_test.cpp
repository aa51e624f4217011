// Cancelback: when event memory is short, events far beyond GVT make room for those at GVT.
#include <gtest/gtest.h>

#include <cstdint>

#include "laxity/timewarp/replay/replayed_run.hpp"
#include "laxity/timewarp/sequential.hpp"

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

}  // namespace
}  // namespace laxity::timewarp
