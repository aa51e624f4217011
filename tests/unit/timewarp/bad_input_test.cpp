// Input that makes no sense, and models that fail: named errors in every engine.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/timewarp/model_check.hpp"
#include "laxity/timewarp/replay/replayed_run.hpp"
#include "laxity/timewarp/run.hpp"
#include "laxity/timewarp/sequential.hpp"

namespace laxity::timewarp {
namespace {

// Every process sends to the next one; where the model fails is a parameter.
template <class T>
struct Ring {
  using Time = T;
  enum class Fails { nowhere, in_init, in_handle, in_commit, in_finish, with_an_int };
  struct State {
    std::uint64_t handled = 0;
  };
  struct Event {
    std::uint64_t hops;
  };
  Fails fails = Fails::nowhere;

  void init(Context<Ring>& lp) const {
    if (fails == Fails::in_init && lp.self() == 2) throw std::runtime_error("no map for the process");
    lp.send(lp.self(), 1, {0});
  }
  void handle(Context<Ring>& lp, const Event& event) const {
    ++lp.state().handled;
    if (fails == Fails::in_handle && lp.self() == 2 && event.hops == 5)
      throw std::invalid_argument("the queue is empty");
    if (fails == Fails::with_an_int && lp.self() == 2 && event.hops == 5) throw 7;
    lp.send((lp.self() + 1) % lp.logical_processes(), 1, {event.hops + 1});
  }
  void commit(const Committed<Ring>& lp, const Event& event) const {
    if (fails == Fails::in_commit && lp.self() == 2 && event.hops == 5) throw std::runtime_error("the disk is full");
  }
  void finish(LpId self, const State&) const {
    if (fails == Fails::in_finish && self == 2) throw std::runtime_error("the file is closed");
  }
};

// What a run on each engine throws.
template <class T>
std::vector<std::string> errors_of(const Simulation<Ring<T>>& simulation) {
  std::vector<std::string> errors;
  const auto note = [&](auto run) {
    try {
      run();
      errors.emplace_back();
    } catch (const Error& error) {
      errors.emplace_back(error.what());
    }
  };
  note([&] { static_cast<void>(run_sequential(simulation)); });
  RunOptions options;
  options.worker.max_events = 4096;
  note([&] { static_cast<void>(run(simulation, options)); });
  options.threads = 2;
  note([&] { static_cast<void>(run(simulation, options)); });
  options.threads = 1;
  options.processes = 2;
  note([&] { static_cast<void>(run(simulation, options)); });
  ReplayOptions replay;
  replay.worker.max_events = 4096;
  note([&] { static_cast<void>(run_replayed(simulation, replay)); });
  return errors;
}

template <class T>
void expect_error(const Simulation<Ring<T>>& simulation, const std::string& expected) {
  for (const std::string& error : errors_of(simulation))
    EXPECT_NE(error.find(expected), std::string::npos) << error << " instead of " << expected;
}

TEST(BadInput, BoundsThatMakeNoSenseAreRefused) {
  expect_error<double>({{}, {4, std::numeric_limits<double>::quiet_NaN()}, 1}, "end_time = nan: must be a number");
  expect_error<double>({{}, {4, -1.0}, 1}, "end_time = -1: must be a number that is not negative");
  expect_error<std::int64_t>({{}, {4, -1}, 1}, "end_time = -1: must be a number that is not negative");
  expect_error<double>({{}, {0, 10.0}, 1}, "logical_processes = 0: must be at least 1");
  EXPECT_THROW(static_cast<void>(check_model(Simulation<Ring<double>>{{}, {0, 10.0}, 1}, Check::purity)), UsageError);
  for (const std::string& error : errors_of<double>({{}, {4, 0.0}, 1})) EXPECT_EQ(error, "");
}

TEST(BadInput, WhatAModelThrowsIsReportedWithItsPlace) {
  using Fails = Ring<double>::Fails;
  const auto ring = [](Fails fails) { return Simulation<Ring<double>>{{fails}, {4, 20.0}, 1}; };
  expect_error(ring(Fails::in_init), "logical process 2 at time 0.000000 (in init()): no map for the process");
  expect_error(ring(Fails::in_handle), "logical process 2 at time 6.000000 (event of 1): the queue is empty");
  expect_error(
      ring(Fails::with_an_int),
      "logical process 2 at time 6.000000 (event of 1): the model has thrown something that is no std::exception");
  expect_error(ring(Fails::in_commit),
               "logical process 2 at time 6.000000 (commit() of an event of 1): the disk is full");
  expect_error(ring(Fails::in_finish), "finish() of logical process 2: the file is closed");
}

// A model whose commit() collects what it is shown.
struct Witness {
  using Time = double;
  struct State {
    std::uint64_t handled = 0;
  };
  struct Event {
    std::uint64_t number;
  };
  using Seen = std::set<std::tuple<double, LpId, LpId, std::uint64_t, std::uint64_t>>;
  Seen* seen;
  std::mutex* mutex;

  void init(Context<Witness>& lp) const { lp.send(lp.self(), 1 + lp.random().unit(), {0}); }
  void handle(Context<Witness>& lp, const Event& event) const {
    ++lp.state().handled;
    lp.send(lp.random().below(lp.logical_processes()), 0.1 + lp.random().unit(), {event.number + 1});
  }
  void commit(const Committed<Witness>& lp, const Event& event) const {
    const std::lock_guard lock(*mutex);
    EXPECT_TRUE(seen->emplace(lp.now(), lp.self(), lp.sender(), event.number, lp.state().handled).second);
  }
};

TEST(Commit, ShowsEventTimeProcessSenderAndState) {
  Witness::Seen expected, seen;
  std::mutex mutex;
  Simulation<Witness> simulation{{&expected, &mutex}, {6, 100.0}, 5};
  const auto alone = run_sequential(simulation);
  EXPECT_EQ(expected.size(), alone.total().committed);
  simulation.model.seen = &seen;
  for (const bool lookahead : {true, false}) {
    seen.clear();
    RunOptions options;
    options.threads = 2;
    options.worker.max_events = 4096;
    options.worker.lookahead = lookahead;
    static_cast<void>(run(simulation, options));
    EXPECT_TRUE(seen == expected);
    for (std::uint64_t schedule = 1; schedule <= 10; ++schedule) {
      seen.clear();
      ReplayOptions replay;
      replay.workers = 3;
      replay.seed = schedule;
      replay.worker.max_events = 4096;
      static_cast<void>(run_replayed(simulation, replay));
      EXPECT_TRUE(seen == expected) << "schedule " << schedule;
    }
  }
}

// States of 3 MB whose digest is that of their bytes.
struct Megabytes {
  using Time = double;
  struct State {
    std::array<std::uint64_t, 3 << 17> words{};
  };
  struct Event {
    std::uint32_t word;
  };

  void init(Context<Megabytes>& lp) const { lp.send(lp.self(), 1, {0}); }
  void handle(Context<Megabytes>& lp, const Event& event) const {
    ++lp.state().words[event.word];
    lp.send((lp.self() + 1) % lp.logical_processes(), 1, {lp.random().below(3 << 17)});
  }
};

TEST(LargeStates, OfMegabytesAreHashedWithoutTheStack) {
  const Simulation<Megabytes> simulation{{}, {2, 4.0}, 1};
  const auto expected = run_sequential(simulation, {.digest = true});
  RunOptions options;
  options.threads = 2;
  options.worker.max_events = 1024;
  options.worker.digest = true;
  EXPECT_EQ(run(simulation, options).digest, expected.digest);
  EXPECT_EQ(check_model(simulation, Check::rollback, 2), 2U);
}

}  // namespace
}  // namespace laxity::timewarp
