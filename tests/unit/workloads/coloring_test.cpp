#include "workloads/coloring/coloring.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "bare_loop.hpp"
#include "laxity/mesh/layers/aggregated_layer.hpp"
#include "laxity/mesh/layers/plain_layer.hpp"
#include "laxity/mesh/layers/pooled_layer.hpp"
#include "laxity/mesh/replay.hpp"
#include "laxity/mesh/topologies/generators.hpp"
#include "workloads/coloring/replayed_coloring.hpp"

namespace laxity {
namespace {

std::vector<NodeColor> colors_of(auto& coloring) {
  const auto colors = coloring.colors();
  return {colors.begin(), colors.end()};
}

// A replayed run of n workers on a torus; the colors of all nodes after some virtual time.
template <class Layer>
class ReplayedColoring {
 public:
  ReplayedColoring(const std::vector<std::uint32_t>& extents, ReplayOptions options, LayerOptions layer = {})
      : topology_(topologies::torus(extents)),
        partition_(partitions::blocks(topology_, options.workers)),
        mesh_(topology_, partition_, {layer}),
        run_(options) {
    ColoringOptions coloring;
    coloring.seed = options.seed;
    for (std::uint32_t worker = 0; worker < options.workers; ++worker)
      workers_.push_back(std::make_unique<Coloring<Layer>>(mesh_, run_.connector(worker), coloring));
  }
  void run_until(std::int64_t until_ns) {
    run_.run_until(until_ns, [&](std::uint32_t worker) { workers_[worker]->update(); });
  }
  [[nodiscard]] std::vector<NodeColor> colors() {
    std::vector<NodeColor> all(topology_.nodes());
    for (auto& worker : workers_)
      for (auto node : worker->part().nodes()) all[node.id()] = worker->colors()[node.index()];
    return all;
  }
  [[nodiscard]] std::uint64_t conflicts() { return conflicting_edges(topology_, colors()); }
  ReplayedRun& run() { return run_; }

 private:
  Topology topology_;
  Partition partition_;
  Mesh<Layer> mesh_;
  ReplayedRun run_;
  std::vector<std::unique_ptr<Coloring<Layer>>> workers_;
};

TEST(Coloring, NodeViewBlockViewAndBareLoopAgreeBitByBit) {
  const auto topology = topologies::torus({32, 64});
  const auto partition = partitions::all_in_one(topology);
  const Mesh<StateLayer<NodeColor>> mesh(topology, partition);
  ReplayedRun run({});
  const ColoringOptions options{.seed = 7};
  Coloring<StateLayer<NodeColor>> by_node(mesh, run.connector(0), options);
  Coloring<StateLayer<NodeColor>> by_block(mesh, run.connector(0), options);
  BareLoop bare(32, 64, SeededRandom(options.seed).bits());
  for (int update = 0; update < 2000; ++update) {
    ASSERT_EQ(colors_of(by_node), bare.color) << "update " << update;
    ASSERT_EQ(colors_of(by_block), bare.color) << "update " << update;
    by_node.update();
    by_block.update_blocks();
    bare.update();
  }
}

TEST(Coloring, EveryPackingGivesTheSameColorsInsideOneWorker) {
  const ReplayOptions options{.workers = 1, .seed = 3};
  ReplayedColoring<StateLayer<NodeColor>> state({9, 7}, options);
  ReplayedColoring<PooledLayer<NodeColor>> pooled({9, 7}, options);
  ReplayedColoring<AggregatedLayer<NodeColor>> aggregated({9, 7}, options);
  ReplayedColoring<PlainLayer<NodeColor>> plain({9, 7}, options);
  state.run_until(200'000);
  pooled.run_until(200'000);
  aggregated.run_until(200'000);
  plain.run_until(200'000);
  EXPECT_EQ(pooled.colors(), state.colors());
  EXPECT_EQ(aggregated.colors(), state.colors());
  EXPECT_EQ(plain.colors(), state.colors());
}

TEST(Coloring, FourWorkersSolveATorus) {
  ReplayedColoring<StateLayer<NodeColor>> coloring({12, 12}, {.workers = 4, .seed = 5});
  EXPECT_GT(coloring.conflicts(), 20U);
  coloring.run_until(20'000'000);
  EXPECT_EQ(coloring.conflicts(), 0U);
}

TEST(Coloring, ARunReplaysFromItsSeed) {
  ReplayedColoring<StateLayer<NodeColor>> first({16, 16}, {.workers = 4, .seed = 11});
  ReplayedColoring<StateLayer<NodeColor>> again({16, 16}, {.workers = 4, .seed = 11});
  ReplayedColoring<StateLayer<NodeColor>> other({16, 16}, {.workers = 4, .seed = 12});
  first.run_until(300'000);
  again.run_until(300'000);
  other.run_until(300'000);
  EXPECT_EQ(first.colors(), again.colors());
  EXPECT_NE(first.colors(), other.colors());
}

TEST(Coloring, ARunWithFaultsReplaysFromItsSeedAndIsStillSolved) {
  ReplayOptions options{.workers = 9, .seed = 21, .slowness = {1, 1, 1, 1, 8, 1, 1, 1, 1}};
  options.faults = {
      .loss = 0.3, .delay_ns = 3000, .delay_spread_ns = 9000, .overtaking = 3, .stall = 0.01, .stall_ns = 50'000};
  ReplayedColoring<StateLayer<NodeColor>> first({15, 15}, options, {.send_depth = 8});
  ReplayedColoring<StateLayer<NodeColor>> again({15, 15}, options, {.send_depth = 8});
  first.run_until(500'000);
  again.run_until(500'000);
  ASSERT_EQ(first.colors(), again.colors());
  std::uint64_t refused = 0, sent = 0, received = 0;
  first.run().for_each_link([&](const LinkKey& key, const InletObservation& in, const OutletObservation& out) {
    if (key.from_worker == key.to_worker) return;
    refused += in.refused, sent += in.attempted - in.refused, received += out.received;
  });
  EXPECT_GT(refused, 0U) << "a slow reader fills its buffers";
  EXPECT_NEAR(static_cast<double>(received) / static_cast<double>(sent), 0.7, 0.03) << "three in ten are lost";
  first.run_until(80'000'000);
  EXPECT_LE(first.conflicts(), 1U);
}

TEST(ReplayedColoring, LossesAreCountedOnTheLinksAndTheRunIsObservedInVirtualTime) {
  const auto topology = topologies::torus({16, 16});
  const auto partition = partitions::blocks(topology, 4);
  ColoringRun run{
      .topology = topology, .partition = partition, .team = {.threads = 4}, .pacing = {}, .coloring = {}, .layer = {}};
  run.duration_ns = 1'000'000;
  run.window_ns = 300'000;
  const ReplayOptions half_lost{.workers = 4, .seed = 3, .faults = {.loss = 0.5}};
  const ReplayedColoringResult result = run_replayed_coloring(run, half_lost);
  EXPECT_NEAR(static_cast<double>(result.frames_lost), static_cast<double>(result.frames_sent) / 2,
              static_cast<double>(result.frames_sent) / 20);
  EXPECT_EQ(result.coloring.conflicts, conflicting_edges(topology, result.coloring.after));
  EXPECT_LT(result.coloring.conflicts, conflicting_edges(topology, result.coloring.before));
  ASSERT_EQ(result.coloring.snapshots.size(), 3U * (4 + 4 * 2)) << "windows x (workers and their neighbors)";
  for (const LinkSnapshot& snapshot : result.coloring.snapshots) {
    EXPECT_EQ(snapshot.receiver_before.time_ns, 50'000 + 300'000 * snapshot.snapshot);
    EXPECT_EQ(snapshot.receiver_after.time_ns, 50'000 + 300'000 * (snapshot.snapshot + 1));
    EXPECT_GT(snapshot.outlet_after.received, snapshot.outlet_before.received);
  }
  run.window_ns = 0;
  EXPECT_EQ(run_replayed_coloring(run, half_lost).digest, result.digest) << "looking changes nothing";
}

TEST(ReplayedColoring, ModesWithBarriersAndTheWrongNumberOfWorkersAreRefused) {
  const auto topology = topologies::torus({8, 8});
  const auto partition = partitions::blocks(topology, 2);
  ColoringRun run{
      .topology = topology, .partition = partition, .team = {.threads = 2}, .pacing = {}, .coloring = {}, .layer = {}};
  EXPECT_NO_THROW(check(run, {.workers = 2}));
  EXPECT_THROW(check(run, {.workers = 3}), UsageError);
  EXPECT_THROW(check(run, {.workers = 2, .faults = {.loss = 2}}), UsageError);
  EXPECT_THROW(check(run, {.workers = 2, .slowness = {1, 0}}), UsageError);
  for (const PacingMode mode : {PacingMode::every_update, PacingMode::rolling, PacingMode::fixed}) {
    run.pacing.mode = mode;
    EXPECT_THROW(check(run, {.workers = 2}), UsageError);
  }
}

TEST(Coloring, WithoutCommunicationBordersStayInConflict) {
  const auto topology = topologies::torus({2, 64});
  const auto partition = partitions::contiguous(topology, 2);
  const Mesh<StateLayer<NodeColor>> mesh(topology, partition);
  ReplayedRun run({.workers = 2});
  Coloring<StateLayer<NodeColor>> zero(mesh, run.connector(0), {});
  Coloring<StateLayer<NodeColor>> one(mesh, run.connector(1), {});
  zero.part().communicate(false);
  one.part().communicate(false);
  run.run_until(3'000'000, [&](std::uint32_t worker) { (worker == 0 ? zero : one).update(); });
  std::vector<NodeColor> all = colors_of(zero);
  std::ranges::copy(one.colors(), std::back_inserter(all));
  EXPECT_GT(conflicting_edges(topology, all), 5U);   // each row is solved, the 64 edges between rows are left to chance
  EXPECT_EQ(run.inlet({0, 0, 1, 0}).attempted, 1U);  // only the one from before the silence
}

// The learning rule, computed by hand.
TEST(ColorLearner, ANodeWithoutConflictIsSureAndAConflictMovesProbabilityAway) {
  ColorLearner learner(1, {.colors = 3, .learning_rate = 0.1F, .seed = 1}, 0);
  EXPECT_FLOAT_EQ(learner.probability(0, 0, 0), 1.0F / 3);
  learner.end_update();  // no redraw: sure
  EXPECT_FLOAT_EQ(learner.probability(0, 2, 2), 1);
  EXPECT_FLOAT_EQ(learner.probability(0, 2, 0), 0);
  EXPECT_LT(learner.redraw(0, 2), 3);
  learner.end_update();
  EXPECT_FLOAT_EQ(learner.probability(0, 2, 2), 0.9F);
  EXPECT_FLOAT_EQ(learner.probability(0, 2, 0), 0.05F);
  EXPECT_LT(learner.redraw(0, 0), 3);
  learner.end_update();
  EXPECT_FLOAT_EQ(learner.probability(0, 0, 2), 0.9F * 0.9F + 0.05F);
  EXPECT_FLOAT_EQ(learner.probability(0, 0, 0), 0.9F * 0.05F);
}

TEST(ColorLearner, DrawsAsOftenAsTheProbabilitiesSay) {
  constexpr std::uint32_t nodes = 60'000;
  ColorLearner learner(nodes, {.colors = 4, .learning_rate = 0.3F, .seed = 9}, 0);
  learner.end_update();
  std::array<int, 4> drawn{};
  for (std::uint32_t i = 0; i < nodes; ++i) ++drawn[learner.redraw(i, 1)];
  EXPECT_NEAR(drawn[1] / double{nodes}, 0.7, 0.01);
  for (const int other : {0, 2, 3}) EXPECT_NEAR(drawn[static_cast<std::size_t>(other)] / double{nodes}, 0.1, 0.006);
}

TEST(Conflicts, BitsAreThoseOfAPlainLoop) {
  SeededRandom random(4);
  for (const std::size_t nodes : {1U, 63U, 64U, 65U, 127U, 128U, 1000U}) {
    for (const std::size_t degree : {0U, 1U, 3U, 4U, 7U}) {
      std::vector<NodeColor> own(nodes);
      std::vector<std::vector<NodeColor>> heard(degree, std::vector<NodeColor>(nodes));
      for (auto& color : own) color = static_cast<NodeColor>(random.below(6));
      for (auto& row : heard)
        for (auto& color : row) color = static_cast<NodeColor>(random.below(6));
      std::vector<const NodeColor*> rows;
      for (auto& row : heard) rows.push_back(row.data());
      std::vector<std::uint64_t> bits((nodes + 63) / 64, ~0ULL);
      find_conflicts(own, rows, bits);
      for (std::size_t i = 0; i < nodes; ++i) {
        const bool conflict = std::ranges::any_of(heard, [&](const auto& row) { return row[i] == own[i]; });
        ASSERT_EQ(bits[i / 64] >> (i % 64) & 1, conflict) << nodes << " nodes, degree " << degree << ", node " << i;
      }
    }
  }
}

TEST(Conflicts, EveryUndirectedEdgeCountsOnceAndSelfLoopsDoNot) {
  const auto pair = topologies::dyad(2);
  EXPECT_EQ(conflicting_edges(pair, std::vector<NodeColor>{1, 1}), 1U);
  EXPECT_EQ(conflicting_edges(pair, std::vector<NodeColor>{1, 2}), 0U);
  const auto one_way = topologies::producer_consumer(2);
  EXPECT_EQ(conflicting_edges(one_way, std::vector<NodeColor>{1, 1}), 1U);
  EXPECT_EQ(conflicting_edges(topologies::loop(3), std::vector<NodeColor>{1, 1, 1}), 0U);
  EXPECT_EQ(conflicting_edges(topologies::torus({8, 8}), std::vector<NodeColor>(64, 1)), 128U);
}

}  // namespace
}  // namespace laxity
