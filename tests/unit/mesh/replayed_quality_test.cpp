// Every metric against replayed runs in which its value is known by construction: how long messages travel, how many
// are refused, in what clumps they come. By the counters as an observer reads them, and as the workers see it.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "laxity/mesh/layers/state_layer.hpp"
#include "laxity/mesh/mesh.hpp"
#include "laxity/mesh/replay.hpp"
#include "laxity/mesh/topologies/generators.hpp"
#include "laxity/metrics/quality_of_service.hpp"

namespace laxity {
namespace {

constexpr std::int64_t period_ns = 1000;

// Two workers with a node each, without jitter: updates at the multiples of their periods, worker 0 before worker 1.
class Pair {
 public:
  explicit Pair(std::size_t depth, const Faults& faults = {}, double slowness_of_1 = 1)
      : mesh_(topology_, partition_, {{{.send_depth = depth}}}),
        run_({.workers = 2,
              .period_ns = period_ns,
              .jitter = 0,
              .slowness = {1, slowness_of_1},
              .faults = faults,
              .quality_window_ns = 100 * period_ns}) {
    for (const std::uint32_t worker : {0U, 1U})
      parts_.push_back(std::make_unique<MeshPart<StateLayer<int>>>(mesh_.part(run_.connector(worker))));
  }

  // The updates at the first `multiple` multiples of the period.
  void run_to(std::int64_t multiple) {
    run_.run_until(multiple * period_ns + 1, [this](std::uint32_t worker) {
      parts_[worker]->pull();
      parts_[worker]->flush();
      (void)run_.quality(worker);
    });
  }

  struct Observation {
    WorkerObservation worker;
    InletObservation inlet;
    OutletObservation outlet;
  };
  // What `worker` counts of its traffic with the other one.
  Observation observe(std::uint32_t worker) const {
    return {{run_.clock().now_ns(), run_.updates(worker)},
            run_.inlet({0, worker, 1 - worker, 0}),
            run_.outlet({0, 1 - worker, worker, 0})};
  }
  const LinkQuality& seen_by(std::uint32_t worker) { return run_.quality(worker).links.front(); }

 private:
  Topology topology_ = topologies::dyad(2);
  Partition partition_ = partitions::one_each(topology_);
  Mesh<StateLayer<int>> mesh_;
  ReplayedRun run_;
  std::vector<std::unique_ptr<MeshPart<StateLayer<int>>>> parts_;
};

TEST(KnownQuality, ADelayOfFiveUpdatesIsALatencyOfFive) {
  Pair pair(16, {.delay_ns = 5 * period_ns});
  pair.run_to(100);
  const auto before = pair.observe(0);
  pair.run_to(300);
  const auto after = pair.observe(0);
  EXPECT_DOUBLE_EQ(simstep_period_ns(before.worker, after.worker), period_ns);
  EXPECT_DOUBLE_EQ(simstep_latency_updates(before.worker, after.worker, before.outlet, after.outlet), 5);
  EXPECT_DOUBLE_EQ(walltime_latency_ns(before.worker, after.worker, before.outlet, after.outlet), 5 * period_ns);
  EXPECT_EQ(delivery_failure_rate(before.inlet, after.inlet), 0);
  EXPECT_EQ(delivery_clumpiness(before.outlet, after.outlet), 0);
  EXPECT_DOUBLE_EQ(pair.seen_by(0).simstep_latency_updates, 5);
  EXPECT_DOUBLE_EQ(pair.seen_by(0).walltime_latency_ns, 5 * period_ns);
}

// Worker 1 pulls once while worker 0 sends ten frames, of which two have room.
TEST(KnownQuality, ANeighborTenTimesAsSlowDropsEightInTen) {
  Pair pair(2, {}, 10);
  pair.run_to(100);
  const auto before = pair.observe(0), slow_before = pair.observe(1);
  pair.run_to(300);
  const auto after = pair.observe(0), slow_after = pair.observe(1);
  EXPECT_DOUBLE_EQ(delivery_failure_rate(before.inlet, after.inlet), 0.8);
  EXPECT_EQ(delivery_failure_rate(slow_before.inlet, slow_after.inlet), 0);
  EXPECT_DOUBLE_EQ(simstep_period_ns(slow_before.worker, slow_after.worker), 10 * period_ns);
  // A round trip takes one update of the slow worker, ten of the other.
  EXPECT_DOUBLE_EQ(simstep_latency_updates(before.worker, after.worker, before.outlet, after.outlet), 5);
  EXPECT_DOUBLE_EQ(
      simstep_latency_updates(slow_before.worker, slow_after.worker, slow_before.outlet, slow_after.outlet), 0.5);
  EXPECT_EQ(delivery_clumpiness(slow_before.outlet, slow_after.outlet), 0) << "each pull brings something";

  EXPECT_DOUBLE_EQ(pair.seen_by(0).delivery_failure_rate, 0.8);
  EXPECT_DOUBLE_EQ(pair.seen_by(0).neighbor_period_ns, 10 * period_ns);
  EXPECT_DOUBLE_EQ(pair.seen_by(0).simstep_latency_updates, 5);
  EXPECT_EQ(pair.seen_by(1).delivery_failure_rate, 0);
  EXPECT_DOUBLE_EQ(pair.seen_by(1).neighbor_period_ns, period_ns);
}

// For ten of twenty updates nothing arrives; then all that was sent comes at once.
TEST(KnownQuality, MessagesHeldBackForHalfAWindowAreHalfInAClump) {
  Pair pair(16, {.freeze_from_ns = 105 * period_ns, .freeze_until_ns = 115 * period_ns});
  pair.run_to(100);
  const auto before = pair.observe(1);
  pair.run_to(120);
  const auto after = pair.observe(1);
  EXPECT_EQ(after.outlet.received - before.outlet.received, 20U);
  EXPECT_DOUBLE_EQ(delivery_clumpiness(before.outlet, after.outlet), 0.5);
  EXPECT_EQ(delivery_failure_rate(before.inlet, after.inlet), 0) << "there was room for all";
}

}  // namespace
}  // namespace laxity
