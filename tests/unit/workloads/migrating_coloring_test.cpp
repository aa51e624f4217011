// Graph coloring in parts that move: nothing is forgotten on the way, and a slow worker gives parts away.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/mesh/migration/migratable_parts.hpp"
#include "laxity/mesh/migration/part_connector.hpp"
#include "laxity/mesh/topologies/generators.hpp"
#include "workloads/coloring/coloring.hpp"
#include "workloads/coloring/coloring_run.hpp"

namespace laxity {
namespace {

using ColoringOfState = Coloring<StateLayer<NodeColor>>;

// One worker with six parts, so that nothing depends on time.
std::vector<NodeColor> colors_of_a_run(bool moves, ColoringView view) {
  constexpr std::uint32_t parts_per_worker = 6;
  const auto topology = topologies::torus({12, 18});
  const auto partition = partitions::blocks(topology, parts_per_worker);
  const Mesh<StateLayer<NodeColor>> mesh(topology, partition);
  const ColoringOptions options{.seed = 4, .work = 3};
  std::vector<NodeColor> colors(topology.nodes());
  Team team({.arena_bytes = 1 << 20, .max_blocks = 256, .max_links = 256});
  const auto report = team.run([&](Worker& worker) {
    MigratableParts<ColoringOfState> parts(worker, parts_per_worker, [&](std::uint32_t part, Archive* arrived) {
      PartConnector connector(worker, parts_per_worker, part);
      return arrived == nullptr ? std::make_unique<ColoringOfState>(mesh, connector, options)
                                : std::make_unique<ColoringOfState>(mesh, connector, options, *arrived);
    });
    for (int update = 0; update < 40; ++update) {
      parts.for_each([view](ColoringOfState& coloring) {
        if (view == ColoringView::block)
          coloring.update_blocks();
        else
          coloring.update();
      });
      worker.update_done();
      if (!moves) continue;
      for (const std::uint32_t part : parts.numbers()) parts.migrate(part, 0);
      parts.receive();
    }
    parts.for_each([&](ColoringOfState& coloring) {
      for (auto node : coloring.part().nodes()) colors[node.id()] = coloring.colors()[node.index()];
    });
  });
  EXPECT_TRUE(report.all_finished()) << report.losses();
  EXPECT_GT(conflicting_edges(topology, colors), 0U) << "it is solved, so what was learnt matters no longer";
  return colors;
}

TEST(MovingColoring, GoesOnBitByBit) {
  const auto still = colors_of_a_run(false, ColoringView::node);
  EXPECT_EQ(colors_of_a_run(true, ColoringView::node), still);
  EXPECT_EQ(colors_of_a_run(true, ColoringView::block), still);
}

class RunInParts : public testing::Test {
 protected:
  [[nodiscard]] ColoringRun run_of(std::uint32_t parts_per_worker, bool migrates) const {
    return {.topology = topology_,
            .partition = parts_per_worker == 1 ? whole_ : parts_,
            .team = {.threads = 3, .tick = std::chrono::milliseconds(2)},
            .pacing = {},
            .coloring = {},
            .layer = {},
            .duration_ns = 600'000'000,
            .fault = {WorkerFault::Kind::slow, 1, 30'000'000},
            .parts_per_worker = parts_per_worker,
            .migrates = migrates};
  }

  Topology topology_ = topologies::torus({24, 72});
  Partition whole_ = partitions::blocks(topology_, 3);
  Partition parts_ = partitions::blocks(topology_, 12);
};

TEST_F(RunInParts, ASlowWorkerGivesPartsAway) {
  for (const int processes : {0, 3}) {
    ColoringRun still = run_of(4, false);
    ColoringRun moving = run_of(4, true);
    if (processes != 0)
      for (ColoringRun* const run : {&still, &moving}) run->team.threads = 1, run->team.processes = processes;
    const ColoringResult stayed = run_coloring(still);
    const ColoringResult moved = run_coloring(moving);
    ASSERT_TRUE(stayed.team.all_finished() && moved.team.all_finished()) << stayed.team.losses() << moved.team.losses();
    EXPECT_EQ(stayed.moves, 0U);
    EXPECT_GE(moved.moves, 1U);  // three in some 20 updates, unless the machine has other things to do
    EXPECT_LT(stayed.workers[1].updates, stayed.workers[0].updates);
    for (const ColoringResult* const result : {&stayed, &moved}) {
      EXPECT_EQ(result->before.size(), topology_.nodes());
      for (const NodeColor color : result->after) ASSERT_LT(color, 3);
      EXPECT_NE(result->before, result->after);
    }
  }
}

TEST_F(RunInParts, RefusesWhatHasNoMeaning) {
  EXPECT_NO_THROW(check(run_of(4, true)));
  EXPECT_NO_THROW(check(run_of(1, false)));
  EXPECT_THROW(check(run_of(1, true)), UsageError) << "there is no part to give";
  EXPECT_THROW(check(run_of(0, false)), UsageError);
  EXPECT_THROW(check(run_of(5, false)), UsageError) << "the partition has four each";
  const auto with = [this](auto&& change) {
    ColoringRun run = run_of(4, true);
    change(run);
    return run;
  };
  EXPECT_THROW(check(with([](auto& run) { run.packing = ColorPacking::pooled; })), UsageError);
  EXPECT_THROW(check(with([](auto& run) { run.mutex = true; })), UsageError);
  EXPECT_THROW(check(with([](auto& run) { run.message_log = 8; })), UsageError);
  EXPECT_THROW(check(with([](auto& run) { run.layer.reactions = {reaction_named("cadence")}; })), UsageError);
}

}  // namespace
}  // namespace laxity
