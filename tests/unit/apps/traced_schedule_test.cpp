// Traces of simulated programs as schedules: replayed, they take as long as the program did.
#include "apps/laxity/trace/traced_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/random.hpp"
#include "laxity/schedule/collective_schedule.hpp"
#include "laxity/schedule/machine_file.hpp"
#include "laxity/schedule/simulation.hpp"
#include "tests/unit/trace/written_trace.hpp"

namespace laxity::cli {
namespace {

using collective::Collective;

constexpr std::uint32_t ranks = 6;

struct Program {
  std::vector<trace::ProcessTrace> traces;
  double seconds = 0;
};

// A loop of allreduce and reduce that computes for random times, simulated call by call.
Program simulated_program(const ChosenAlgorithms& chosen) {
  Program program;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) program.traces.push_back(trace::process(rank, ranks));
  SeededRandom random(1);
  const schedule::Machine machine = schedule::machine_named("ethernet");
  std::vector<std::int64_t> at_ns(ranks, 1000);  // the start of the processes
  for (std::uint64_t i = 0; i < 40; ++i) {
    const bool to_all = i % 2 == 0;
    const Collective collective = to_all ? Collective::allreduce : Collective::reduce;
    const auto schedule = schedule::make_schedule({.collective = collective, .ranks = ranks, .bytes = 4096, .root = 2},
                                                  chosen.at(collective));
    std::vector<double> arrival_s;
    for (std::int64_t& at : at_ns) {
      at += random.below(200'000);
      arrival_s.push_back(static_cast<double>(at) * 1e-9);
    }
    const auto result = simulate(schedule, machine, {.arrival_s = arrival_s});
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const std::int64_t exit_ns = result.exit[rank] / 1000;
      trace::Call call =
          trace::blocking(to_all ? trace::Kind::allreduce : trace::Kind::reduce, i, at_ns[rank], exit_ns);
      if (!to_all) call.root = 2;
      call.bytes_sent = call.bytes_received = 4096;
      program.traces[rank].calls.push_back(call);
      at_ns[rank] = exit_ns;
    }
  }
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    program.traces[rank].end = trace::End{.at_ns = at_ns[rank], .calls = 40, .recorded = 40};
  program.seconds = static_cast<double>(*std::ranges::max_element(at_ns) - 1000) * 1e-9;
  return program;
}

double replayed_s(const Program& program, const ChosenAlgorithms& chosen) {
  const TracedSchedule traced = traced_schedule(trace::join_processes(program.traces), chosen);
  EXPECT_EQ(traced.calls, 40U);
  EXPECT_EQ(traced.left_out, 0U);
  return static_cast<double>(simulate(traced.schedule, schedule::machine_named("ethernet")).last_exit) * 1e-12;
}

TEST(TracedSchedule, TakesAsLongAsTheProgramDid) {
  for (const char* allreduce : {"recursive_doubling", "ring", "basic_linear"}) {
    const ChosenAlgorithms chosen = chosen_algorithms({std::string("allreduce=") + allreduce});
    const Program program = simulated_program(chosen);
    EXPECT_NEAR(replayed_s(program, chosen), program.seconds, 1e-3 * program.seconds) << allreduce;
  }
}

TEST(TracedSchedule, PredictsAnotherAlgorithm) {
  const ChosenAlgorithms ring = chosen_algorithms({"allreduce=ring"}),
                         linear = chosen_algorithms({"allreduce=basic_linear"});
  const double predicted_s = replayed_s(simulated_program(ring), linear);
  const double true_s = simulated_program(linear).seconds;
  ASSERT_GT(std::abs(true_s - simulated_program(ring).seconds), 0.01 * true_s);
  EXPECT_NEAR(predicted_s, true_s, 1e-3 * true_s);
}

TEST(TracedSchedule, RefusesTracesThatLackCallsOrProcesses) {
  Program program = simulated_program(chosen_algorithms({}));
  program.traces.pop_back();
  EXPECT_THROW(static_cast<void>(traced_schedule(trace::join_processes(program.traces), chosen_algorithms({}))),
               UsageError);
  program = simulated_program(chosen_algorithms({}));
  program.traces[1].process.every = 2;
  EXPECT_THROW(static_cast<void>(traced_schedule(trace::join_processes(program.traces), chosen_algorithms({}))),
               UsageError);
}

TEST(TracedSchedule, TheTimeOfCallsWithoutAScheduleIsComputing) {
  std::vector<trace::ProcessTrace> traces{trace::process(0, 2), trace::process(1, 2)};
  for (trace::ProcessTrace& each : traces) {
    each.calls = {trace::blocking(trace::Kind::neighbor_allgather, 0, 2000, 9000)};
    each.end = trace::End{.at_ns = 11000, .calls = 1, .recorded = 1};
  }
  const TracedSchedule traced = traced_schedule(trace::join_processes(traces), chosen_algorithms({}));
  EXPECT_EQ(traced.left_out, 1U);
  EXPECT_EQ(simulate(traced.schedule, schedule::machine_named("ethernet")).last_exit, 10'000'000);  // 10 us
}

TEST(ChosenAlgorithms, MistakesAreNamed) {
  EXPECT_THROW(static_cast<void>(chosen_algorithms({"ring"})), UsageError);
  EXPECT_THROW(static_cast<void>(chosen_algorithms({"rings=ring"})), UsageError);
  EXPECT_THROW(static_cast<void>(chosen_algorithms({"reduce=chain", "reduce=linear"})), UsageError);
  EXPECT_EQ(chosen_algorithms({"reduce=chain"}).at(Collective::reduce), "chain");
}

}  // namespace
}  // namespace laxity::cli
