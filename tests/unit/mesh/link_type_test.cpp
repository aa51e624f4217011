// Workers whose programs differ in the type of a layer: the first link between them is refused in set-up.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "laxity/launch/team.hpp"
#include "laxity/mesh/layers/accumulating_layer.hpp"
#include "laxity/mesh/layers/aggregated_layer.hpp"
#include "laxity/mesh/layers/plain_layer.hpp"
#include "laxity/mesh/layers/pooled_layer.hpp"
#include "laxity/mesh/layers/state_layer.hpp"
#include "laxity/mesh/mesh.hpp"
#include "laxity/mesh/topologies/generators.hpp"
#include "laxity/mesh/worker_connector.hpp"

namespace laxity {
namespace {

/// Builds a part of Mesh<StateLayer<char>, One> in worker 0 and of Mesh<StateLayer<char>, Other> in worker 1. Returns what
/// worker 1, which is the second, is told.
template <class One, class Other>
std::string complaint(const TeamOptions& shape) {
  const Topology topology = topologies::dyad(2);
  const Partition partition = partitions::one_each(topology);
  Team team(shape);
  const auto report = team.run([&](Worker& worker) {
    WorkerConnector connector(worker);
    if (worker.id() == 0) (void)Mesh<StateLayer<char>, One>(topology, partition).part(connector);
    if (!worker.barrier()) return;
    if (worker.id() == 1) (void)Mesh<StateLayer<char>, Other>(topology, partition).part(connector);
  });
  return report.losses();
}

class LinkType : public testing::TestWithParam<TeamOptions> {};
INSTANTIATE_TEST_SUITE_P(Team, LinkType, testing::Values(TeamOptions{.threads = 2}, TeamOptions{.processes = 2}),
                         [](const auto& instance) { return instance.param.processes == 0 ? "threads" : "processes"; });

TEST_P(LinkType, ThatDiffersIsNamedWithLayerAndWorkers) {
  const std::string why = complaint<StateLayer<std::uint64_t>, StateLayer<double>>(GetParam());
  for (const char* part :
       {"layer 1", "worker 0", "worker 1", "laxity::StateLayer<unsigned long>", "laxity::StateLayer<double>"})
    EXPECT_NE(why.find(part), std::string::npos) << part << " is missing in: " << why;
}

TEST_P(LinkType, ThatAgreesIsAccepted) {
  EXPECT_EQ((complaint<StateLayer<double>, StateLayer<double>>(GetParam())), "");
}

TEST_P(LinkType, IncludesSizeAndPacking) {
  EXPECT_NE((complaint<StateLayer<std::uint64_t>, StateLayer<std::uint32_t>>(GetParam())), "");
  EXPECT_NE((complaint<PlainLayer<int>, PooledLayer<int>>(GetParam())), "");
  EXPECT_NE((complaint<AggregatedLayer<int>, AggregatedLayer<float>>(GetParam())), "");
  EXPECT_NE((complaint<AccumulatingLayer<int>, AccumulatingLayer<int, std::bit_or<>>>(GetParam())), "");
}

}  // namespace
}  // namespace laxity
