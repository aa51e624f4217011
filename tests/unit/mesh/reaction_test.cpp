// What workers do about a neighbor that cannot keep up: each reaction alone, and in replayed runs in which one worker
// is slow by construction.
#include "laxity/mesh/reactions/reaction.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/mesh/layers/accumulating_layer.hpp"
#include "laxity/mesh/layers/aggregated_layer.hpp"
#include "laxity/mesh/layers/plain_layer.hpp"
#include "laxity/mesh/layers/pooled_layer.hpp"
#include "laxity/mesh/layers/state_layer.hpp"
#include "laxity/mesh/mesh.hpp"
#include "laxity/mesh/reactions/cadence.hpp"
#include "laxity/mesh/replay.hpp"
#include "laxity/mesh/topologies/generators.hpp"

namespace laxity {
namespace {

constexpr std::size_t depth = 4;
constexpr std::uint32_t fast = 0, slow = 1;

LayerOptions reacting_with(const std::string& names) {
  LayerOptions options{.send_depth = depth};
  for (const std::string_view name : reaction_names)
    if (names.find(name) != std::string::npos) options.reactions.push_back(reaction_named(name));
  return options;
}

// Two workers with a node each, which send the number of their update; worker 1 takes a hundred times as long for one.
template <class Layer>
class FastAndSlow {
 public:
  explicit FastAndSlow(const LayerOptions& options)
      : mesh_(topology_, partition_, {options}),
        run_({.workers = 2, .jitter = 0, .slowness = {1, 100}, .quality_window_ns = 1'000'000}) {
    for (const std::uint32_t worker : {fast, slow})
      parts_.push_back(std::make_unique<MeshPart<Layer>>(mesh_.part(run_.connector(worker))));
  }

  void run_until(std::int64_t until_ns) {
    run_.run_until(until_ns, [this](std::uint32_t worker) {
      MeshPart<Layer>& part = *parts_[worker];
      part.pull();
      if (worker == slow) age_ = run_.updates(fast) - heard();
      for (auto node : part.nodes()) node.put(run_.updates(worker));
      part.flush();
      part.react(run_.quality(worker));
    });
  }

  // What the slow worker has heard last, in updates that the fast one has done since.
  [[nodiscard]] std::uint64_t age() const noexcept { return age_; }
  [[nodiscard]] double failure_rate_seen_by(std::uint32_t worker) {
    return run_.quality(worker).links.front().delivery_failure_rate;
  }
  [[nodiscard]] ReplayedRun& run() noexcept { return run_; }

  // Of the messages from the fast worker to the slow one, those unaccounted for after a last pull.
  [[nodiscard]] std::int64_t unaccounted_for() {
    parts_[slow]->pull();
    const InletObservation in = run_.inlet({0, fast, slow, 0});
    const OutletObservation out = run_.outlet({0, fast, slow, 0});
    return static_cast<std::int64_t>(in.attempted - in.refused - in.superseded - out.received - out.superseded);
  }
  // How many of these may wait for the next frame of the fast worker: those of its updates since the last one.
  [[nodiscard]] std::int64_t held_back() {
    std::int64_t held = 0;
    if constexpr (!std::same_as<Layer, StateLayer<std::uint64_t>> && !std::same_as<Layer, PlainLayer<std::uint64_t>>)
      parts_[fast]->layer().for_each_link([&](NeighborLink& link) { held = link.tuning()->every; });
    return held;
  }

 private:
  std::uint64_t heard() {
    std::uint64_t value = 0;
    for (auto node : parts_[slow]->nodes())
      for (const auto input : node.inputs()) value = input.get();
    return value;
  }

  Topology topology_ = topologies::dyad(2);
  Partition partition_ = partitions::one_each(topology_);
  Mesh<Layer> mesh_;
  ReplayedRun run_;
  std::vector<std::unique_ptr<MeshPart<Layer>>> parts_;
  std::uint64_t age_ = 0;
};

using Pairs = FastAndSlow<StateLayer<std::uint64_t>>;
constexpr std::int64_t long_enough_ns = 50'000'000;

TEST(WithoutReactions, ASlowWorkerHearsWhatItsQueueTookFirst) {
  Pairs pair(reacting_with(""));
  pair.run_until(long_enough_ns);
  EXPECT_DOUBLE_EQ(pair.failure_rate_seen_by(fast), 1 - depth / 100.0);
  EXPECT_GE(pair.age(), 100 - depth - 1);
}

TEST(Cadence, SendsAsOftenAsTheNeighborTakesAndNoOftener) {
  Pairs pair(reacting_with("cadence"));
  pair.run_until(long_enough_ns);
  const InletObservation before = pair.run().inlet({0, fast, slow, 0});
  pair.run_until(3 * long_enough_ns);
  const InletObservation after = pair.run().inlet({0, fast, slow, 0});
  const auto attempted = static_cast<double>(after.attempted - before.attempted);
  const auto refused = static_cast<double>(after.refused - before.refused);
  const double slow_updates = 2.0 * long_enough_ns / 100'000;
  EXPECT_GE(attempted, 0.8 * depth * slow_updates);
  EXPECT_LE(attempted, 1.2 * depth * slow_updates);
  EXPECT_LE(refused, 0.1 * attempted);
  EXPECT_LE(pair.age(), 100 / depth + 5);
}

TEST(Cadence, LeavesAWorkerThatKeepsUpAlone) {
  const AdaptCadence cadence;
  LinkTuning tuning;
  for (const double failure_rate : {0.0, 0.01, Reaction::backlog}) {
    cadence.react({}, {.delivery_failure_rate = failure_rate}, tuning);
    EXPECT_EQ(tuning.every, 1U);
  }
}

TEST(Cadence, ComesBackToEveryUpdateWhenTheNeighborIsWellAgain) {
  const AdaptCadence cadence;
  LinkTuning tuning;
  cadence.react({}, {.delivery_failure_rate = 1}, tuning);
  EXPECT_EQ(tuning.every, AdaptCadence::max_every);
  int windows = 0;
  for (; tuning.every != 1 && windows < 1000; ++windows) cadence.react({}, {.delivery_failure_rate = 0}, tuning);
  EXPECT_LE(windows, 100);
}

TEST(Latest, ASlowWorkerHearsTheNewest) {
  Pairs pair(reacting_with("latest"));
  pair.run_until(long_enough_ns);
  EXPECT_EQ(pair.failure_rate_seen_by(fast), 0);
  EXPECT_LE(pair.age(), 1U);
  EXPECT_GT(pair.run().outlet({0, fast, slow, 0}).superseded, 1000U);
  EXPECT_EQ(pair.unaccounted_for(), 0);
}

TEST(Latest, TurnsBackWhenTheNeighborKeepsPace) {
  const auto latest = reaction_named("latest");
  LinkTuning tuning{.limit = depth, .depth = depth};
  latest->react({.simstep_period_ns = 10}, {.delivery_failure_rate = 0.5, .neighbor_period_ns = 1000}, tuning);
  EXPECT_EQ(tuning.limit, no_limit);
  latest->react({.simstep_period_ns = 10}, {.neighbor_period_ns = 21}, tuning);
  EXPECT_EQ(tuning.limit, no_limit) << "more than half of the queue would be taken";
  latest->react({.simstep_period_ns = 10}, {.neighbor_period_ns = 20}, tuning);
  EXPECT_EQ(tuning.limit, depth);
}

TEST(Depth, GrowsForANeighborThatDropsAndShrinksForOneThatDoesNot) {
  const auto reaction = reaction_named("depth");
  LinkTuning tuning{.limit = 16, .depth = 16};
  for (int window = 0; window < 20; ++window) reaction->react({}, {.delivery_failure_rate = 0}, tuning);
  EXPECT_EQ(tuning.limit, 2U);
  reaction->react({}, {.delivery_failure_rate = 0.2}, tuning);
  EXPECT_EQ(tuning.limit, 4U);
  for (int window = 0; window < 20; ++window) reaction->react({}, {.delivery_failure_rate = 0.2}, tuning);
  EXPECT_EQ(tuning.limit, 16U);
}

TEST(Depth, ASlowWorkerTakesNoMoreThanItDidAndAFastOneKeepsAShallowQueue) {
  Pairs pair(reacting_with("depth"));
  pair.run_until(long_enough_ns);
  EXPECT_DOUBLE_EQ(pair.failure_rate_seen_by(fast), 1 - depth / 100.0);
  EXPECT_EQ(pair.failure_rate_seen_by(slow), 0);
}

// Whatever is tuned and whenever: what was accepted is received or superseded, and nothing old comes back.
template <class Layer>
class AnyReaction : public testing::Test {};
using Layers = testing::Types<StateLayer<std::uint64_t>, PooledLayer<std::uint64_t>, AggregatedLayer<std::uint64_t>,
                              PlainLayer<std::uint64_t>>;
TYPED_TEST_SUITE(AnyReaction, Layers);

TYPED_TEST(AnyReaction, KeepsTheAccountExact) {
  for (const char* const names : {"cadence", "depth", "latest", "cadence depth latest"}) {
    FastAndSlow<TypeParam> pair(reacting_with(names));
    for (std::int64_t until_ns = 0; until_ns < long_enough_ns; until_ns += 170'000) {
      pair.run_until(until_ns);
      ASSERT_GE(pair.unaccounted_for(), 0) << names << " at " << until_ns;
      ASSERT_LE(pair.unaccounted_for(), pair.held_back()) << names << " at " << until_ns;
      ASSERT_LE(pair.age(), 100U + depth) << names << " at " << until_ns;
    }
  }
}

TEST(Reaction, LayersThatMustLoseNothingRefuseToOverwrite) {
  const auto topology = topologies::dyad(2);
  const auto partition = partitions::one_each(topology);
  ReplayedRun run({.workers = 2});
  const Mesh<AccumulatingLayer<int>> overwriting(topology, partition, {reacting_with("latest")});
  EXPECT_THROW((void)overwriting.part(run.connector(0)), Error);
  const Mesh<AccumulatingLayer<int>> slower(topology, partition, {reacting_with("cadence")});
  ReplayedRun other_run({.workers = 2});
  EXPECT_NO_THROW((void)slower.part(other_run.connector(0)));
}

TEST(Reaction, AQueueThatOverwritesAnywayIsAUsageError) {
  LayerOptions options = reacting_with("latest");
  options.overflow = Overflow::latest;
  EXPECT_THROW((void)has_limits(options), UsageError);
  EXPECT_THROW((void)reaction_named("faster"), UsageError);
}

}  // namespace
}  // namespace laxity
