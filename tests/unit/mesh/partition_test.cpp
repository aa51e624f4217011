#include "laxity/mesh/partitions/partition.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <set>

#include "laxity/error.hpp"
#include "laxity/mesh/partitions/partition_report.hpp"
#include "laxity/mesh/topologies/generators.hpp"

namespace laxity {
namespace {

using Row = std::vector<std::uint32_t>;
using topologies::grid;
using topologies::torus;

Row nodes_of(const Partition& partition, std::uint32_t worker) {
  const auto nodes = partition.nodes_of(worker);
  return {nodes.begin(), nodes.end()};
}

// Every node once, lists ascending, the three views agree.
void expect_whole(const Topology& topology, const Partition& partition, std::uint32_t workers) {
  ASSERT_EQ(partition.workers(), workers);
  ASSERT_EQ(partition.nodes(), topology.nodes());
  std::uint32_t seen = 0;
  for (std::uint32_t worker = 0; worker < workers; ++worker) {
    const auto nodes = partition.nodes_of(worker);
    ASSERT_TRUE(std::adjacent_find(nodes.begin(), nodes.end(), std::greater_equal<>()) == nodes.end());
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      ASSERT_EQ(partition.worker_of(nodes[i]), worker);
      ASSERT_EQ(partition.position_of(nodes[i]), i);
    }
    seen += static_cast<std::uint32_t>(nodes.size());
  }
  ASSERT_EQ(seen, topology.nodes());
}

// Largest and smallest share.
std::pair<std::size_t, std::size_t> shares(const Partition& partition) {
  std::size_t most = 0;
  std::size_t fewest = partition.nodes();
  for (std::uint32_t worker = 0; worker < partition.workers(); ++worker) {
    most = std::max(most, partition.nodes_of(worker).size());
    fewest = std::min(fewest, partition.nodes_of(worker).size());
  }
  return {most, fewest};
}

TEST(Partition, AllKindsShareOutEveryNodeOnce) {
  const Topology topology = torus({12, 10});
  for (const std::uint32_t workers : {1U, 2U, 3U, 7U, 16U, 119U, 120U}) {
    SCOPED_TRACE(workers);
    for (const Partition& partition :
         {partitions::blocks(topology, workers), partitions::contiguous(topology, workers),
          partitions::round_robin(topology, workers), partitions::random(topology, workers, 5)}) {
      expect_whole(topology, partition, workers);
    }
    for (const Partition& partition :
         {partitions::contiguous(topology, workers), partitions::round_robin(topology, workers),
          partitions::random(topology, workers, 5)}) {
      const auto [most, fewest] = shares(partition);
      EXPECT_LE(most - fewest, 1U);
    }
  }
  expect_whole(topology, partitions::all_in_one(topology), 1);
  expect_whole(topology, partitions::one_each(topology), 120);
}

TEST(Partition, RefusesMoreWorkersThanNodesAndNone) {
  const Topology topology = torus({2, 3});
  const std::vector<std::function<Partition(std::uint32_t)>> kinds{
      [&](std::uint32_t n) { return partitions::blocks(topology, n); },
      [&](std::uint32_t n) { return partitions::contiguous(topology, n); },
      [&](std::uint32_t n) { return partitions::round_robin(topology, n); },
      [&](std::uint32_t n) { return partitions::random(topology, n, 1); },
      [&](std::uint32_t n) { return partitions::metis(topology, n); },
      [&](std::uint32_t n) { return partitions::from_file(topology, n, "/dev/null"); }};
  for (const auto& kind : kinds) {
    EXPECT_THROW(kind(0), UsageError);
    try {
      kind(7);
      FAIL() << "7 workers for 6 nodes";
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("7 workers for 6 nodes"), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(Partition(2, {0, 1, 2}), UsageError);
}

TEST(Contiguous, CutsIdsIntoRuns) {
  const Partition partition = partitions::contiguous(topologies::empty(7), 3);
  EXPECT_EQ(nodes_of(partition, 0), (Row{0, 1}));
  EXPECT_EQ(nodes_of(partition, 1), (Row{2, 3}));
  EXPECT_EQ(nodes_of(partition, 2), (Row{4, 5, 6}));
}

TEST(RoundRobin, DealsNodesOut) {
  EXPECT_EQ(nodes_of(partitions::round_robin(topologies::empty(7), 3), 1), (Row{1, 4}));
}

TEST(Random, IsAFunctionOfItsSeed) {
  const Topology topology = topologies::empty(100);
  EXPECT_EQ(nodes_of(partitions::random(topology, 4, 1), 2), nodes_of(partitions::random(topology, 4, 1), 2));
  EXPECT_NE(nodes_of(partitions::random(topology, 4, 1), 2), nodes_of(partitions::random(topology, 4, 2), 2));
}

TEST(Blocks, AreSquaresWherePossible) {
  const Partition partition = partitions::blocks(torus({4, 4}), 4);
  EXPECT_EQ(nodes_of(partition, 0), (Row{0, 1, 4, 5}));
  EXPECT_EQ(nodes_of(partition, 1), (Row{2, 3, 6, 7}));
  EXPECT_EQ(nodes_of(partition, 3), (Row{10, 11, 14, 15}));
}

TEST(Blocks, OfATorusAreSquaresRatherThanSlabsOfTheSameCut) {
  const Partition partition = partitions::blocks(torus({4, 8}), 8);  // 2 x 2 squares cut 32, so do 8 slabs of 4 x 1
  EXPECT_EQ(nodes_of(partition, 0), (Row{0, 1, 8, 9}));
}

TEST(Blocks, AreCubesWherePossible) {
  const Topology topology = torus({4, 4, 4});
  const PartitionReport report = report_partition(topology, partitions::blocks(topology, 8));
  EXPECT_EQ(report.balance, 1);
  for (const auto& worker : report.workers) {
    EXPECT_EQ(worker.nodes, 8U);
    EXPECT_EQ(worker.neighbors, 3U);
    EXPECT_EQ(worker.cut_outputs, 24U);
  }
}

TEST(Blocks, CutTheLongerSideAndLeaveGridFacesAlone) {
  // 2 workers on 4 x 8: across the long side 4 edges a face; a torus has two faces, a grid one.
  EXPECT_EQ(report_partition(torus({4, 8}), partitions::blocks(torus({4, 8}), 2)).cut_edges, 16U);
  EXPECT_EQ(report_partition(grid({4, 8}), partitions::blocks(grid({4, 8}), 2)).cut_edges, 8U);
}

TEST(Blocks, PreferASmallCutToTheLastPercentOfBalance) {
  // 2 x 2 parts of 100 x 101: boxes of 50 x 51, 1 % more than 25 x 101, at about half the cut.
  const Topology topology = grid({100, 101});
  const PartitionReport report = report_partition(topology, partitions::blocks(topology, 4));
  EXPECT_LT(report.balance, 1.05);
  EXPECT_EQ(report.cut_edges, 2U * (100 + 101));
}

TEST(Blocks, PreferBalanceToASmallCut) {
  // 3 workers on 9 x 10: rows of 3 x 10 are even and cut 20 edges; 9 x 4, 9 x 3 and 9 x 3 would cut 18.
  EXPECT_EQ(report_partition(grid({9, 10}), partitions::blocks(grid({9, 10}), 3)).balance, 1);
}

TEST(Blocks, OfPrimesAreSlabsAndOfMisfitsRuns) {
  const Topology topology = torus({14, 14});
  const PartitionReport slabs = report_partition(topology, partitions::blocks(topology, 7));
  EXPECT_EQ(slabs.balance, 1);
  EXPECT_EQ(slabs.workers[0].neighbors, 2U);
  const Partition misfit = partitions::blocks(torus({3, 3}), 7);
  EXPECT_EQ(shares(misfit), std::pair(std::size_t{2}, std::size_t{1}));
}

TEST(Blocks, OfAHypercubeAreFoundAmongVeryManyWays) {
  const Topology topology = torus(std::vector<std::uint32_t>(16, 2));
  const PartitionReport report = report_partition(topology, partitions::blocks(topology, 256));
  EXPECT_EQ(report.balance, 1);
  EXPECT_EQ(report.workers[0].neighbors, 8U);
}

TEST(Blocks, NeedALattice) { EXPECT_THROW(static_cast<void>(partitions::blocks(topologies::ring(4), 2)), UsageError); }

TEST(PartitionReport, CountsCutEdgesAndNeighbors) {
  // 0 -> 1 -> 2 -> 3 -> 0 over workers {0, 1}, {2}, {3}.
  const PartitionReport report = report_partition(topologies::ring(4), Partition(3, {0, 0, 1, 2}));
  EXPECT_EQ(report.edges, 4U);
  EXPECT_EQ(report.cut_edges, 3U);
  EXPECT_DOUBLE_EQ(report.balance, 1.5);
  EXPECT_EQ(report.workers[0].neighbors, 2U);
  EXPECT_EQ(report.workers[0].cut_inputs, 1U);
  EXPECT_EQ(report.workers[0].cut_outputs, 1U);
  const std::string text = to_text(report, 2);
  EXPECT_NE(text.find("cut edges  3 of 4 (75.00 %)"), std::string::npos) << text;
  EXPECT_NE(text.find("... and 1 more"), std::string::npos) << text;
}

class PartitionFile : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() / ("laxity-part-" + std::to_string(getpid()) + "-" +
                                                      ::testing::UnitTest::GetInstance()->current_test_info()->name());
  }
  void TearDown() override { std::filesystem::remove(path_); }
  [[nodiscard]] Partition read(const std::string& text, std::uint32_t workers) const {
    std::ofstream(path_) << text;
    return partitions::from_file(topologies::ring(3), workers, path_);
  }
  void expect_fault(const std::string& text, long line, long column) const {
    try {
      static_cast<void>(read(text, 2));
      FAIL() << text;
    } catch (const ParseError& error) {
      EXPECT_EQ(std::pair(error.line(), error.column()), std::pair(line, column)) << error.what();
    }
  }

 private:
  std::filesystem::path path_;
};

TEST_F(PartitionFile, HasAWorkerALine) {
  EXPECT_EQ(nodes_of(read("1\n0\n1\n", 2), 1), (Row{0, 2}));
  EXPECT_EQ(nodes_of(read("1\r\n1\r\n1\r\n\r\n", 3), 2), Row{});
}

TEST_F(PartitionFile, NamesThePlaceOfAFault) {
  expect_fault("0\n1\n", 3, 1);
  expect_fault("0\n1", 2, 2);
  expect_fault("0\n 2\n1\n", 2, 2);
  expect_fault("0\n\n1\n", 2, 1);
  expect_fault("0\n1 1\n0\n", 2, 3);
  expect_fault("0\n1\n0\n\n1\n", 5, 1);
  EXPECT_THROW(static_cast<void>(partitions::from_file(topologies::ring(3), 2, "/no/such/file")), SystemError);
}

class MetisPartition : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!partitions::has_metis()) GTEST_SKIP() << "this build has no METIS";
  }
};

TEST(MetisMissing, SaysWhatToInstall) {
  if (partitions::has_metis()) GTEST_SKIP() << "this build has METIS";
  try {
    static_cast<void>(partitions::metis(torus({4, 4}), 2));
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("libmetis-dev"), std::string::npos);
  }
}

TEST_F(MetisPartition, CutsATorusNotMuchWorseThanBlocks) {
  const Topology topology = torus({64, 64});
  for (const std::uint32_t workers : {2U, 4U, 16U}) {
    const Partition partition = partitions::metis(topology, workers);
    expect_whole(topology, partition, workers);
    const PartitionReport report = report_partition(topology, partition);
    const PartitionReport boxes = report_partition(topology, partitions::blocks(topology, workers));
    EXPECT_LE(static_cast<double>(report.cut_edges), 1.3 * static_cast<double>(boxes.cut_edges)) << workers;
    EXPECT_LE(report.balance, 1.05);
  }
}

TEST_F(MetisPartition, CutsADirectedRingInTwoPlaces) {
  const Topology topology = topologies::ring(100);
  const Partition partition = partitions::metis(topology, 2);
  expect_whole(topology, partition, 2);
  EXPECT_EQ(report_partition(topology, partition).cut_edges, 2U);
}

TEST_F(MetisPartition, CutsDirectedGraphsAsWellAsTheirSymmetricTwins) {
  // A grid whose edges all point to higher ids: METIS on these rows as they are cuts far more, or crashes.
  std::vector<Edge> edges;
  const Topology twin = grid({32, 32});
  for (std::uint32_t node = 0; node < twin.nodes(); ++node) {
    for (const std::uint32_t neighbor : twin.outputs(node)) {
      if (neighbor > node) edges.push_back({node, neighbor});
    }
  }
  const Topology topology = Topology::from_edges(twin.nodes(), edges);
  const auto cut = report_partition(topology, partitions::metis(topology, 4)).cut_edges;
  const auto twin_cut = report_partition(twin, partitions::metis(twin, 4)).cut_edges / 2;
  EXPECT_LE(static_cast<double>(cut), 1.2 * static_cast<double>(twin_cut));
}

TEST_F(MetisPartition, PrefersTwoWayToOneWayEdgesWhenItKeepsThemWhole) {
  // Two two-way chains joined by one-way rungs: the cut goes through the rungs although there are many.
  std::vector<Edge> edges;
  constexpr std::uint32_t length = 16;
  for (std::uint32_t i = 0; i < length; ++i) edges.push_back({i, length + i});
  std::vector<std::uint32_t> weights(edges.size(), 1);
  for (std::uint32_t chain = 0; chain < 2; ++chain) {
    for (std::uint32_t i = 0; i + 1 < length; ++i) {
      const std::uint32_t node = chain * length + i;
      edges.insert(edges.end(), {{node, node + 1}, {node + 1, node}});
      weights.insert(weights.end(), {100, 100});
    }
  }
  const Partition partition = partitions::metis(Topology::from_edges(2 * length, edges, weights), 2);
  const std::uint32_t first = partition.worker_of(0);
  for (std::uint32_t i = 0; i < length; ++i) {
    EXPECT_EQ(partition.worker_of(i), first);
    EXPECT_NE(partition.worker_of(length + i), first);
  }
}

TEST_F(MetisPartition, BalancesNodeWeights) {
  Topology topology = grid({1, 64});
  Row weights(64, 1);
  std::fill_n(weights.begin(), 8, 8U);  // the first eight weigh more than all others together
  topology.set_node_weights(weights);
  const Partition partition = partitions::metis(topology, 2);
  std::uint32_t work[2] = {0, 0};
  for (std::uint32_t node = 0; node < 64; ++node) work[partition.worker_of(node)] += weights[node];
  EXPECT_LE(std::max(work[0], work[1]), 68U);  // of 120: 60 each, and at most one heavy node more
}

TEST_F(MetisPartition, CopesWithTheExtremes) {
  const Topology topology = torus({5, 5});
  expect_whole(topology, partitions::metis(topology, 1), 1);
  for (const std::uint32_t workers : {20U, 24U, 25U}) {
    const Partition partition = partitions::metis(topology, workers);
    expect_whole(topology, partition, workers);
    EXPECT_GE(shares(partition).second, 1U) << workers << " workers, one of them idle";
  }
  expect_whole(topologies::empty(10), partitions::metis(topologies::empty(10), 3), 3);
  expect_whole(topologies::loop(10), partitions::metis(topologies::loop(10), 3), 3);
  expect_whole(topologies::complete(9), partitions::metis(topologies::complete(9), 4), 4);
}

TEST_F(MetisPartition, SelfLoopsDoNotMatter) {
  std::vector<Edge> edges;
  for (std::uint32_t node = 0; node < 100; ++node) {
    edges.insert(edges.end(), {{node, node}, {node, (node + 1) % 100}});
  }
  const Topology topology = Topology::from_edges(100, edges);
  EXPECT_EQ(report_partition(topology, partitions::metis(topology, 2)).cut_edges, 2U);
}

TEST_F(MetisPartition, TwoLevelsKeepTheThreadsOfAProcessTogether) {
  const Topology topology = torus({32, 32});
  const Partition partition = partitions::metis_two_levels(topology, 2, 4);
  expect_whole(topology, partition, 8);
  Row process_of(topology.nodes());
  for (std::uint32_t node = 0; node < topology.nodes(); ++node) process_of[node] = partition.worker_of(node) / 4;
  const PartitionReport processes = report_partition(topology, Partition(2, process_of));
  EXPECT_LE(processes.cut_edges, 166U);  // 1.3 x the 128 of two halves
  EXPECT_LE(report_partition(topology, partition).balance, 1.1);
}

TEST_F(MetisPartition, IsAFunctionOfItsSeed) {
  const Topology topology = topologies::random_geometric(500, 0.1, 3);
  EXPECT_EQ(nodes_of(partitions::metis(topology, 4, 9), 1), nodes_of(partitions::metis(topology, 4, 9), 1));
}

TEST_F(MetisPartition, RefusesWeightsItCannotAddUp) {
  Topology topology = grid({1, 4});
  topology.set_node_weights({4000000000U, 1, 1, 1});
  EXPECT_THROW(static_cast<void>(partitions::metis(topology, 2)), UsageError);
}

}  // namespace
}  // namespace laxity
