// Random models on the ranks of an MPI: the same is committed as in a sequential run, whether ranks share memory,
// read payloads out of each other's, or send all over MPI, with one thread or two each.
//
// A failure prints its seed; LAXITY_SEED=<seed> runs that one alone. LAXITY_EFFORT=n takes n times as many models.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "laxity/launch/ranks.hpp"
#include "laxity/timewarp/run.hpp"
#include "tests/effort.hpp"
#include "tests/property/timewarp_random_model.hpp"

namespace laxity::timewarp {
namespace {

constexpr std::uint64_t models = 8;

RunOptions random_options(Ranks& ranks, int threads, std::uint64_t seed) {
  SeededRandom random(seed);
  constexpr std::uint64_t intervals[] = {1, 7, 64, 4096};
  constexpr std::size_t depths[] = {8, 32, 256, 4096};
  RunOptions options;
  options.threads = threads;
  options.ranks = &ranks;
  options.pin = PinPolicy::never;
  options.ring_depth = depths[random.below(4)];
  options.worker.optimism = static_cast<Optimism>(random.below(3));
  options.worker.gvt_interval = intervals[random.below(4)];
  options.worker.turn = 1 + random.below(40);
  options.worker.max_events = 1 << 22;
  options.worker.memory = static_cast<MemoryPlacement>(random.below(2));
  options.worker.digest = true;
  return options;
}

void try_seed(Ranks& ranks, int threads, bool attach, std::uint64_t seed) {
  SCOPED_TRACE("replay with LAXITY_SEED=" + std::to_string(seed) + ", threads " + std::to_string(threads));
  with_model_of(seed, [&]<class M>(std::type_identity<M>) {
    const auto simulation = random_simulation<M>(seed);
    const auto expected = sequential_run_of(simulation);
    const RunOptions options = random_options(ranks, threads, seed);
    const Result<M> result = attach ? run_over_attached_memory(simulation, options) : run(simulation, options);
    EXPECT_EQ(result.total().committed, expected.result.total().committed);
    EXPECT_EQ(result.digest, expected.result.digest);
    EXPECT_EQ(result.ended_at, expected.result.ended_at);
    EXPECT_TRUE(result.collectors == expected.result.collectors);
    for (LpId lp = 0; lp < simulation.bounds.logical_processes; ++lp)
      EXPECT_EQ(result.states[lp].memory, expected.result.states[lp].memory) << "process " << lp;
  });
}

// A failure on one rank must not leave the others waiting for it: all take the same seeds.
void try_seeds(int ranks_per_host, int threads, bool attach = false, bool one_thread_sends = false) {
  const auto ranks =
      join_ranks({.threads = threads, .ranks_per_host = ranks_per_host, .one_thread_sends = one_thread_sends});
  if (ranks == nullptr) GTEST_SKIP() << "one process, not started by a launcher";
  const char* const one = std::getenv("LAXITY_SEED");
  const std::uint64_t first = one != nullptr ? std::strtoull(one, nullptr, 10) : 1;
  const std::uint64_t last = one != nullptr ? first : models * effort();
  for (std::uint64_t seed = first; seed <= last; ++seed) try_seed(*ranks, threads, attach, seed);
}

TEST(TimeWarpOnRanks, CommitWhatTheSequentialRunCommitsInSharedMemory) { try_seeds(0, 1); }
TEST(TimeWarpOnRanks, CommitWhatTheSequentialRunCommitsInAttachedMemory) { try_seeds(0, 1, true); }
TEST(TimeWarpOnRanks, CommitWhatTheSequentialRunCommitsOverMpi) { try_seeds(1, 1); }
TEST(TimeWarpOnRanks, CommitWhatTheSequentialRunCommitsWithTwoThreadsEachOverMpi) { try_seeds(1, 2); }
TEST(TimeWarpOnRanks, CommitWhatTheSequentialRunCommitsWithTwoThreadsOfWhichOneSends) { try_seeds(1, 2, false, true); }
TEST(TimeWarpOnRanks, CommitWhatTheSequentialRunCommitsWithTwoRanksAHost) { try_seeds(2, 1); }
TEST(TimeWarpOnRanks, CommitWhatTheSequentialRunCommitsWithTwoRanksAHostInAttachedMemory) { try_seeds(2, 1, true); }

// Every rank learns of it before anything runs, and none waits for another.
TEST(TimeWarpOnRanks, ThatDisagreeAreRefusedOnEveryRank) {
  const auto ranks = join_ranks({});
  if (ranks == nullptr || ranks->map().ranks() == 1) GTEST_SKIP() << "one process";
  with_model_of(1, [&]<class M>(std::type_identity<M>) {
    const auto expect_refusal = [&](const Simulation<M>& simulation, const RunOptions& options,
                                    const std::string& what) {
      try {
        static_cast<void>(run(simulation, options));
        ADD_FAILURE() << "not refused: " << what;
      } catch (const UsageError& error) {
        EXPECT_NE(std::string(error.what()).find("the ranks disagree: rank 0 has " + what), std::string::npos)
            << error.what();
      }
    };
    const bool is_odd = ranks->map().rank % 2 == 1;
    const auto simulation = random_simulation<M>(1);
    RunOptions options;
    options.ranks = ranks.get();
    options.pin = PinPolicy::never;
    auto other = simulation;
    if (is_odd) ++other.seed;
    expect_refusal(other, options, "seed = ");
    other = simulation;
    if (is_odd) other.bounds.logical_processes += 8;
    expect_refusal(other, options, "number of logical processes = ");
    other = simulation;
    if (is_odd) other.model.recipe.first_events += 1;
    expect_refusal(other, options, "hash of what init() of process 0 does = ");
    options.threads = is_odd ? 2 : 1;
    expect_refusal(simulation, options, "threads = ");
  });
}

}  // namespace
}  // namespace laxity::timewarp
