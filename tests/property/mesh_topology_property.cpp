// Topologies against a set of edges, for random graphs of many shapes.
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "laxity/mesh/partitions/partition_report.hpp"
#include "laxity/mesh/topologies/generators.hpp"
#include "laxity/random.hpp"
#include "tests/property/graph_file_checks.hpp"

namespace laxity {
namespace {

// Few or many nodes, sparse or dense, with repeated edges, opposite edges and self-loops.
std::vector<Edge> random_edges(std::uint32_t nodes, SeededRandom& random) {
  std::vector<Edge> edges(random.below(4 * nodes));
  const std::uint32_t opposite_in_ten = random.below(11);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    edges[i] = {random.below(nodes), random.below(nodes)};
    if (i > 0 && random.below(10) < opposite_in_ten) edges[i] = {edges[i - 1].target, edges[i - 1].source};
  }
  return edges;
}

TEST(Topology, HasExactlyTheEdgesItWasMadeFrom) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    SeededRandom random(seed);
    const std::uint32_t nodes = 1 + random.below(60);
    const std::vector<Edge> edges = random_edges(nodes, random);
    const Topology graph = Topology::from_edges(nodes, edges);
    EXPECT_NO_THROW(check_rows(graph));
    std::set<std::pair<std::uint32_t, std::uint32_t>> expected;
    for (const Edge& edge : edges) expected.emplace(edge.source, edge.target);
    EXPECT_EQ(graph.edges(), expected.size());
    for (const auto& [source, target] : expected)
      EXPECT_TRUE(graph.input_index(target, source)) << source << " -> " << target;
    bool symmetric = true;
    for (const auto& [source, target] : expected) symmetric = symmetric && expected.contains({target, source});
    EXPECT_EQ(graph.is_symmetric(), symmetric);
  }
}

TEST(Topology, WeightsStayWithTheirEdgesWhateverTheOrder) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    SeededRandom random(seed);
    const std::uint32_t nodes = 1 + random.below(60);
    const std::vector<Edge> edges = random_edges(nodes, random);
    const auto weight_of = [](std::uint32_t source, std::uint32_t target) { return 1 + 100 * source + target; };
    std::vector<std::uint32_t> weights;
    for (const Edge& edge : edges) weights.push_back(weight_of(edge.source, edge.target));
    const Topology graph = Topology::from_edges(nodes, edges, weights);
    for (std::uint32_t node = 0; node < graph.nodes() && graph.has_edge_weights(); ++node) {
      for (std::size_t k = 0; k < graph.outputs(node).size(); ++k) {
        EXPECT_EQ(graph.output_weights(node)[k], weight_of(node, graph.outputs(node)[k]));
      }
    }
  }
}

TEST(Topology, EveryGeneratorKeepsThePromises) {
  using namespace topologies;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    SeededRandom random(seed);
    const std::uint32_t nodes = 2 * (1 + random.below(40));
    const std::vector<std::uint32_t> extents{1 + random.below(6), 1 + random.below(6), 1 + random.below(6)};
    for (const Topology& graph :
         {empty(nodes), ring(nodes), loop(nodes), dyad(nodes), producer_consumer(nodes), complete(nodes),
          torus(extents), grid(extents), watts_strogatz(nodes + 4, 4, random.unit(), seed),
          navigable_small_world(2 + random.below(8), random.below(4), random.below(4), seed),
          random_geometric(nodes, 0.01 + 0.9 * random.unit(), seed)}) {
      EXPECT_NO_THROW(check_rows(graph));
    }
  }
}

// The report's totals agree with a count over edges, whoever made the partition.
TEST(Partition, ReportsTheCutThatACountOverEdgesGives) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    SeededRandom random(seed);
    const std::uint32_t nodes = 2 + random.below(60);
    const Topology graph = Topology::from_edges(nodes, random_edges(nodes, random));
    const std::uint32_t workers = 1 + random.below(nodes);
    std::vector<Partition> partitions{partitions::random(graph, workers, seed), partitions::contiguous(graph, workers)};
    if (partitions::has_metis()) partitions.push_back(partitions::metis(graph, workers, seed));
    for (const Partition& partition : partitions) {
      std::uint64_t cut = 0;
      std::set<std::pair<std::uint32_t, std::uint32_t>> meetings;
      for (std::uint32_t node = 0; node < nodes; ++node) {
        for (const std::uint32_t target : graph.outputs(node)) {
          const std::pair ends(partition.worker_of(node), partition.worker_of(target));
          if (ends.first == ends.second) continue;
          ++cut;
          meetings.insert(ends);
          meetings.emplace(ends.second, ends.first);
        }
      }
      const PartitionReport report = report_partition(graph, partition);
      EXPECT_EQ(report.cut_edges, cut);
      std::uint64_t neighbors = 0;
      std::uint64_t inputs = 0;
      for (const auto& worker : report.workers) {
        neighbors += worker.neighbors;
        inputs += worker.cut_inputs;
        EXPECT_GE(worker.nodes, 1U);
      }
      EXPECT_EQ(neighbors, meetings.size());
      EXPECT_EQ(inputs, cut);
    }
  }
}

}  // namespace
}  // namespace laxity
