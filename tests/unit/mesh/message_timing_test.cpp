// The measured latency of messages against replayed runs in which it is known.
#include "laxity/mesh/message_timing.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
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

// Two workers with a node each; worker 0 updates at the multiples of the period, worker 1 at those of `slowness`
// periods.
class Pair {
 public:
  Pair(std::size_t depth, double slowness, const Faults& faults, bool timed, std::int64_t ahead_ns = 0)
      : mesh_(topology_, partition_, {{{.send_depth = depth}}}),
        run_({.workers = 2, .period_ns = period_ns, .jitter = 0, .slowness = {1, slowness}, .faults = faults}) {
    for (const std::uint32_t worker : {0U, 1U}) {
      const std::int64_t error_ns = worker == 1 ? ahead_ns : 0;
      timing_.push_back(std::make_unique<TimingConnector>(
          run_.connector(worker), [this, error_ns] { return run_.clock().now_ns() + error_ns; }));
      Connector& connector = timed ? *timing_.back() : run_.connector(worker);
      parts_.push_back(std::make_unique<MeshPart<StateLayer<std::uint64_t>>>(mesh_.part(connector)));
    }
  }

  void run_to(std::int64_t multiple) {
    run_.run_until(multiple * period_ns + 1, [this](std::uint32_t worker) {
      parts_[worker]->pull();
      for (auto node : parts_[worker]->nodes()) {
        for (const auto input : node.inputs()) heard_[worker].push_back(input.get());
        node.put(run_.updates(worker) + 1);
      }
      parts_[worker]->flush();
    });
  }
  /// Of the link to a worker.
  [[nodiscard]] OutletObservation outlet_of(std::uint32_t worker) const {
    return run_.outlet({0, 1 - worker, worker, 0});
  }
  /// What a worker heard in each of its updates.
  [[nodiscard]] const std::vector<std::uint64_t>& heard_by(std::uint32_t worker) const { return heard_.at(worker); }

 private:
  Topology topology_ = topologies::dyad(2);
  Partition partition_ = partitions::one_each(topology_);
  Mesh<StateLayer<std::uint64_t>> mesh_;
  ReplayedRun run_;
  std::vector<std::unique_ptr<TimingConnector>> timing_;
  std::vector<std::unique_ptr<MeshPart<StateLayer<std::uint64_t>>>> parts_;
  std::array<std::vector<std::uint64_t>, 2> heard_;
};

TEST(MessageTiming, HasTheLatencyOfMessagesThatTravelThreePeriods) {
  Pair pair(8, 1, {.delay_ns = 3 * period_ns}, true);
  pair.run_to(1000);
  for (const std::uint32_t worker : {0U, 1U}) {
    const OutletObservation outlet = pair.outlet_of(worker);
    EXPECT_EQ(outlet.timed, 997U / TimingConnector::frames_per_timed);
    EXPECT_EQ(one_way_latency_ns({}, outlet), 3.0 * period_ns);
  }
}

// Of every ten frames two have room and the newer one is shown, eight or nine periods after it was sent.
TEST(MessageTiming, CountsMessagesThatWereShownAndNotThoseOvertaken) {
  Pair pair(2, 10, {}, true);
  pair.run_to(10'000);
  const OutletObservation outlet = pair.outlet_of(1);
  EXPECT_EQ(outlet.laden, 1000U);
  EXPECT_EQ(outlet.timed, outlet.received / TimingConnector::frames_per_timed / 2);
  const double latency_ns = one_way_latency_ns({}, outlet);
  EXPECT_GE(latency_ns, 8.0 * period_ns - 1);
  EXPECT_LE(latency_ns, 9.0 * period_ns);
}

TEST(MessageTiming, HasTheErrorOfTheClocks) {
  Pair pair(8, 1, {.delay_ns = 3 * period_ns}, true, -10 * period_ns);
  pair.run_to(1000);
  EXPECT_EQ(one_way_latency_ns({}, pair.outlet_of(1)), -7.0 * period_ns);
  EXPECT_EQ(one_way_latency_ns({}, pair.outlet_of(0)), 13.0 * period_ns);
}

TEST(MessageTiming, ChangesNothingThatIsHeard) {
  const Faults faults{.loss = 0.2, .delay_ns = 700, .delay_spread_ns = 2500, .overtaking = 4};
  Pair timed(2, 7, faults, true), untimed(2, 7, faults, false);
  timed.run_to(2000);
  untimed.run_to(2000);
  for (const std::uint32_t worker : {0U, 1U}) EXPECT_EQ(timed.heard_by(worker), untimed.heard_by(worker));
  EXPECT_GT(timed.outlet_of(1).timed, 0U);
  EXPECT_EQ(untimed.outlet_of(1).timed, 0U);
}

}  // namespace
}  // namespace laxity
