// Random models on virtual workers with adversarial schedules: every run commits the same events as a sequential run.
//
// A failure prints its seed; LAXITY_SEED=<seed> runs that one alone. LAXITY_EFFORT=n tests n times as many models.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "laxity/timewarp/pending/bucket_queue.hpp"
#include "laxity/timewarp/pending/comparison/ladder_queue.hpp"
#include "laxity/timewarp/pending/comparison/three_tier_heap.hpp"
#include "laxity/timewarp/pending/comparison/two_tier_ladder.hpp"
#include "laxity/timewarp/pending/heap_queue.hpp"
#include "laxity/timewarp/replay/replayed_run.hpp"
#include "tests/effort.hpp"
#include "tests/property/timewarp_random_model.hpp"

namespace laxity::timewarp {
namespace {

constexpr std::uint64_t models = 4000;
constexpr std::uint64_t settings_per_model = 3;

/// Event memory of a worker: more than any run needs; enough for a model that needs `peak` records in a sequential run, which
/// is twice that, because events processed at GVT keep their records beside those that they send; or so little that an error
/// is correct.
enum class Memory { plenty, enough, scarce };
constexpr Memory memories[] = {Memory::plenty, Memory::plenty, Memory::enough, Memory::scarce};

std::size_t records(Memory memory, std::size_t peak) {
  if (memory == Memory::plenty) return 1 << 22;  // what is not used costs nothing
  return memory == Memory::enough ? 2 * peak + 16 : 2 * peak / 3 + 8;
}

ReplayOptions random_options(std::uint64_t seed) {
  SeededRandom random(seed);
  constexpr std::uint64_t intervals[] = {1, 2, 7, 64, 4096};
  constexpr std::size_t turns[] = {1, 2, 3, 8, 32};
  ReplayOptions options;
  options.workers = 1 + static_cast<int>(random.below(5));
  options.seed = seed;
  options.worker.optimism = static_cast<Optimism>(random.below(3));
  options.worker.gvt_interval = intervals[random.below(5)];
  options.worker.turn = turns[random.below(5)];
  options.worker.max_events = records(Memory::plenty, 0);
  options.worker.memory = static_cast<MemoryPlacement>(random.below(2));
  options.worker.digest = true;
  options.worker.events = static_cast<SentEvents>(random.below(2));
  options.worker.lookahead = random.below(4) != 0;
  return options;
}

/// Sums over all runs: a search without rollbacks proves nothing.
struct Trouble {
  std::uint64_t runs = 0;
  std::uint64_t runs_of_several = 0;
  std::uint64_t with_primary = 0;
  std::uint64_t with_secondary = 0;
  std::uint64_t with_anti_messages = 0;
  std::uint64_t with_little_memory = 0;
  std::uint64_t refused = 0;
  std::uint64_t ended = 0;
  Statistics total;

  void add(const ReplayOptions& options, const Statistics& run) {
    ++runs;
    runs_of_several += options.workers > 1;
    with_primary += run.primary_rollbacks > 0;
    with_secondary += run.secondary_rollbacks > 0;
    with_anti_messages += run.anti_messages > 0;
    total += run;
  }
};

// Every pending-event set with one kind of state saving; the default set with the others, to limit the compile time.
template <class M>
Result<M> run_with_some_set(const Simulation<M>& simulation, const ReplayOptions& options) {
  if constexpr (M::state_saving == StateSaving::copy) {
    switch (options.seed / 2 % 8) {
      case 0:
        return run_replayed<HeapQueue<4>>(simulation, options);
      case 1:
        return run_replayed<LadderQueue>(simulation, options);
      case 2:
        return run_replayed<ThreeTierHeap>(simulation, options);
      case 3:
        return run_replayed<TwoTierLadder>(simulation, options);
      default:
        break;
    }
  }
  return run_replayed<BucketQueue>(simulation, options);
}

template <class M>
void expect_equal(Simulation<M> simulation, const Expected<M>& expected, const ReplayOptions& options,
                  Trouble& trouble) {
  CommitLog log(simulation.bounds.logical_processes);
  simulation.model.log = &log;
  // A handler that throws cannot be reversed. With little memory, an event before it may be in the overflow queue.
  const bool is_short = options.worker.max_events < records(Memory::plenty, 0);
  const bool may_fail = options.seed % (is_short ? 2 : 4) == 0;
  if (M::state_saving != StateSaving::reverse && may_fail) simulation.model.right = &expected.reached;
  const auto result = run_with_some_set(simulation, options);
  const Statistics total = result.total();
  EXPECT_EQ(total.committed, expected.result.total().committed);
  EXPECT_EQ(total.processed, total.committed + total.rolled_back);
  EXPECT_EQ(result.digest, expected.result.digest);
  EXPECT_EQ(result.ended_at, expected.result.ended_at);
  EXPECT_EQ(result.collectors.events, total.committed);
  EXPECT_TRUE(result.collectors == expected.result.collectors);
  EXPECT_EQ(log, expected.log) << "committed in another order";
  ASSERT_EQ(result.states.size(), expected.result.states.size());
  for (LpId lp = 0; lp < result.states.size(); ++lp) {
    EXPECT_EQ(result.states[lp].memory, expected.result.states[lp].memory) << "process " << lp;
  }
  trouble.add(options, total);
  trouble.ended += result.ended_at.has_value();
}

void try_seed(std::uint64_t seed, Trouble& trouble) {
  SCOPED_TRACE("replay with LAXITY_SEED=" + std::to_string(seed));
  with_model_of(seed, [&]<class M>(std::type_identity<M>) {
    const auto simulation = random_simulation<M>(seed);
    const auto expected = sequential_run_of(simulation);
    for (std::uint64_t i = 0; i < settings_per_model; ++i) {
      ReplayOptions options = random_options(seed * settings_per_model + i);
      const Memory memory = memories[options.seed / 7 % 4];
      options.worker.max_events = records(memory, expected.result.total().peak_events);
      trouble.with_little_memory += memory == Memory::scarce;
      SCOPED_TRACE(std::to_string(options.workers) + " workers of " + std::to_string(options.worker.max_events) +
                   " records, options drawn from " + std::to_string(options.seed));
      try {
        expect_equal(simulation, expected, options, trouble);
      } catch (const Error& error) {
        const bool is_refusal = std::string(error.what()).find("the event memory of worker") == 0;
        EXPECT_TRUE(memory == Memory::scarce && is_refusal) << error.what();
        ++trouble.refused;
      }
    }
  });
}

TEST(TimeWarpOnVirtualWorkers, CommitsWhatTheSequentialRunCommits) {
  Trouble trouble;
  if (const char* const one = std::getenv("LAXITY_SEED")) {
    try_seed(std::strtoull(one, nullptr, 10), trouble);
    return;
  }
  for (std::uint64_t seed = 1; seed <= models * effort() && !HasFailure(); ++seed) try_seed(seed, trouble);
  if (HasFailure()) return;
  const auto share = [&](std::uint64_t runs) { return 100 * runs / trouble.runs_of_several; };
  std::printf(
      "%lu runs, %lu events committed, %lu rolled back, %lu coasted forward; of %lu runs with several workers had "
      "primary rollbacks %lu %%, secondary %lu %%, anti-messages %lu %%; %lu were ended by the model; %lu of %lu with "
      "very little memory ran out of it\n",
      trouble.runs, trouble.total.committed, trouble.total.rolled_back, trouble.total.coasted, trouble.runs_of_several,
      share(trouble.with_primary), share(trouble.with_secondary), share(trouble.with_anti_messages), trouble.ended,
      trouble.refused, trouble.with_little_memory);
  EXPECT_GT(share(trouble.with_primary), 30U);
  EXPECT_GT(share(trouble.with_secondary), 15U);
  EXPECT_GT(share(trouble.with_anti_messages), 15U);
  EXPECT_GT(trouble.total.coasted, 1000U);
  EXPECT_GT(trouble.total.shared_events, trouble.total.remote_events / 4);
  EXPECT_GT(trouble.ended, trouble.runs / 20);
  EXPECT_LT(trouble.refused, trouble.with_little_memory / 2);
}

TEST(TimeWarpOnVirtualWorkers, TheSameSeedGivesTheSameRun) {
  int others_differ = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto simulation = random_simulation<RandomModel<double>>(seed);
    const auto counts = [&](std::uint64_t schedule) {
      ReplayOptions options = random_options(seed);
      options.workers = 4;
      options.seed = schedule;
      std::vector<std::uint64_t> all;
      for (const Statistics& s : run_replayed(simulation, options).workers) {
        all.insert(all.end(),
                   {s.committed, s.processed, s.rolled_back, s.primary_rollbacks, s.secondary_rollbacks,
                    s.anti_messages, s.remote_events, s.shared_events, s.throttled, s.gvt_rounds, s.peak_events});
      }
      return all;
    };
    EXPECT_EQ(counts(seed), counts(seed));
    others_differ += counts(seed) != counts(seed + 1);
  }
  EXPECT_GT(others_differ, 20);
}

}  // namespace
}  // namespace laxity::timewarp
