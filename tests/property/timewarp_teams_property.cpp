// Random models on threads and forked processes, with every state saving, pending-event set and exchange: every run
// commits the same events as a sequential run.
//
// A failure prints its seed; LAXITY_SEED=<seed> runs that one alone. LAXITY_EFFORT=n tests n times as many models.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "laxity/timewarp/engine.hpp"
#include "laxity/timewarp/pending/comparison/comparison_set.hpp"
#include "laxity/timewarp/run.hpp"
#include "tests/effort.hpp"
#include "tests/property/timewarp_random_model.hpp"

namespace laxity::timewarp {
namespace {

constexpr std::uint64_t models = 40;

struct Shape {
  int threads;
  int processes;
};
constexpr Shape shapes[] = {{1, 0}, {2, 0}, {4, 0}, {1, 2}, {2, 2}};

RunOptions random_options(Shape shape, std::uint64_t seed) {
  SeededRandom random(seed);
  constexpr std::uint64_t intervals[] = {1, 7, 64, 4096};
  constexpr std::size_t depths[] = {8, 32, 256, 4096};
  RunOptions options;
  options.threads = shape.threads;
  options.processes = shape.processes;
  options.pin = PinPolicy::never;
  options.ring_depth = depths[random.below(4)];
  options.worker.optimism = static_cast<Optimism>(random.below(3));
  options.worker.gvt_interval = intervals[random.below(4)];
  options.worker.turn = 1 + random.below(40);
  options.worker.max_events = 1 << 22;
  options.worker.memory = static_cast<MemoryPlacement>(random.below(2));
  options.worker.digest = true;
  if (shape.processes == 0) options.worker.events = static_cast<SentEvents>(random.below(2));
  options.worker.lookahead = random.below(4) != 0;
  return options;
}

template <class M>
void expect_equal(const Simulation<M>& simulation, const Expected<M>& expected, const Result<M>& result) {
  const Statistics total = result.total();
  EXPECT_EQ(total.committed, expected.result.total().committed);
  EXPECT_EQ(total.processed, total.committed + total.rolled_back);
  EXPECT_EQ(result.digest, expected.result.digest);
  EXPECT_EQ(result.ended_at, expected.result.ended_at);
  EXPECT_EQ(result.collectors.events, total.committed);
  EXPECT_TRUE(result.collectors == expected.result.collectors);
  for (LpId lp = 0; lp < simulation.bounds.logical_processes; ++lp) {
    EXPECT_EQ(result.states[lp].memory, expected.result.states[lp].memory) << "process " << lp;
  }
}

void try_seed(std::uint64_t seed) {
  SCOPED_TRACE("replay with LAXITY_SEED=" + std::to_string(seed));
  with_model_of(seed, [&]<class M>(std::type_identity<M>) {
    const auto simulation = random_simulation<M>(seed);
    const auto expected = sequential_run_of(simulation);
    for (const Shape shape : shapes) {
      SCOPED_TRACE(std::to_string(shape.threads) + " threads, " + std::to_string(shape.processes) + " processes");
      const RunOptions options = random_options(shape, seed);
      const Queue set = all_queues[1 + seed / 6 % (all_queues.size() - 1)];  // another one than run()'s
      try {
        expect_equal(simulation, expected, run(simulation, options));
        expect_equal(simulation, expected, run(simulation, options, ComparisonSet(set)));
        if (shape.processes > 0) {
          expect_equal(simulation, expected, run_over_attached_memory(simulation, options));
          continue;
        }
        const auto kind = static_cast<QueueKind>(seed / 6 % 3);
        expect_equal(simulation, expected, run_over_queues(simulation, options, kind, 1 + seed % 4));
      } catch (const Error& error) {
        ADD_FAILURE() << error.what();
      }
    }
  });
}

TEST(TimeWarpOnTeams, CommitWhatTheSequentialRunCommits) {
  if (const char* const one = std::getenv("LAXITY_SEED")) return try_seed(std::strtoull(one, nullptr, 10));
  for (std::uint64_t seed = 1; seed <= models * effort() && !HasFailure(); ++seed) try_seed(seed);
}

}  // namespace
}  // namespace laxity::timewarp
