// Chosen links lose what they are told to lose, and others nothing.
#include "laxity/mesh/impaired_connector.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/mesh/layers/state_layer.hpp"
#include "laxity/mesh/mesh.hpp"
#include "laxity/mesh/replay.hpp"
#include "laxity/mesh/topologies/generators.hpp"

namespace laxity {
namespace {

// The number of updates of the other worker's that each of two workers has heard of, in a replayed run. The link from worker
// 0 to worker 1 has faults.
std::pair<std::uint64_t, std::uint64_t> heard_by_both(const Faults& faults) {
  const Topology topology = topologies::dyad(2);
  const Partition partition = partitions::one_each(topology);
  const Mesh<StateLayer<std::uint64_t>> mesh(topology, partition, {{{.send_depth = 8}}});
  ReplayedRun run({.workers = 2, .period_ns = 1000, .jitter = 0});
  std::vector<std::unique_ptr<ImpairedConnector>> connectors;
  std::vector<std::unique_ptr<MeshPart<StateLayer<std::uint64_t>>>> parts;
  for (const std::uint32_t worker : {0U, 1U}) {
    connectors.push_back(std::make_unique<ImpairedConnector>(run.connector(worker), faults, 7,
                                                             [](const LinkKey& key) { return key.from_worker == 0; }));
    parts.push_back(std::make_unique<MeshPart<StateLayer<std::uint64_t>>>(mesh.part(*connectors.back())));
  }
  std::map<std::uint32_t, std::map<std::uint64_t, bool>> values;
  run.run_until(200'001, [&](std::uint32_t worker) {
    parts[worker]->pull();
    for (auto node : parts[worker]->nodes()) {
      for (const auto input : node.inputs())
        if (input.get() != 0) values[worker][input.get()] = true;
      node.put(run.updates(worker) + 1);
    }
    parts[worker]->flush();
  });
  return {values[0].size(), values[1].size()};
}

TEST(ImpairedConnector, LosesTheShareOfFramesOfTheChosenLinkOnly) {
  const auto [by_0, by_1] = heard_by_both({.loss = 0.5});
  EXPECT_GE(by_0, 198U);
  EXPECT_GT(by_1, 70U);
  EXPECT_LT(by_1, 130U);
}

TEST(ImpairedConnector, DeliversNothingOverALinkThatLosesAll) {
  const auto [by_0, by_1] = heard_by_both({.loss = 1});
  EXPECT_GE(by_0, 198U);
  EXPECT_EQ(by_1, 0U);
}

TEST(ImpairedConnector, HoldsFramesUntilTheyAreDue) {
  const auto [by_0, by_1] = heard_by_both({.delay_ns = 3'600'000'000'000});  // by the steady clock: an hour
  EXPECT_GE(by_0, 198U);
  EXPECT_EQ(by_1, 0U);
}

TEST(ImpairedConnector, RefusesFaultsThatMakeNoSense) {
  EXPECT_THROW(static_cast<void>(heard_by_both({.loss = 2})), UsageError);
}

}  // namespace
}  // namespace laxity
