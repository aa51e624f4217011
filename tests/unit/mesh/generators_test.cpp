#include "laxity/mesh/topologies/generators.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "laxity/error.hpp"
#include "tests/unit/mesh/rows.hpp"

namespace laxity::topologies {
namespace {

// Both rows of all nodes.
std::vector<Row> all_rows(const Topology& topology) {
  std::vector<Row> rows;
  for (std::uint32_t node = 0; node < topology.nodes(); ++node) {
    rows.push_back(inputs(topology, node));
    rows.push_back(outputs(topology, node));
  }
  return rows;
}

bool has_self_loop(const Topology& topology) {
  for (std::uint32_t node = 0; node < topology.nodes(); ++node) {
    if (topology.input_index(node, node)) return true;
  }
  return false;
}

TEST(Empty, HasNodesThatNeverSpeak) {
  EXPECT_EQ(empty(3).nodes(), 3U);
  EXPECT_EQ(empty(3).edges(), 0U);
}

TEST(Ring, SendsToTheNextNode) {
  EXPECT_EQ(all_rows(ring(3)), (std::vector<Row>{{2}, {1}, {0}, {2}, {1}, {0}}));
  EXPECT_FALSE(ring(3).is_symmetric());
  EXPECT_EQ(all_rows(ring(2)), (std::vector<Row>{{1}, {1}, {0}, {0}}));
  EXPECT_EQ(ring(1).edges(), 0U);
  EXPECT_EQ(ring(0).nodes(), 0U);
}

TEST(Loop, SendsToItself) { EXPECT_EQ(all_rows(loop(2)), (std::vector<Row>{{0}, {0}, {1}, {1}})); }

TEST(Dyad, ExchangesInPairs) {
  EXPECT_EQ(all_rows(dyad(4)), (std::vector<Row>{{1}, {1}, {0}, {0}, {3}, {3}, {2}, {2}}));
  EXPECT_THROW(static_cast<void>(dyad(3)), UsageError);
}

TEST(ProducerConsumer, SendsInPairsOneWay) {
  EXPECT_EQ(all_rows(producer_consumer(4)), (std::vector<Row>{{}, {1}, {0}, {}, {}, {3}, {2}, {}}));
  EXPECT_THROW(static_cast<void>(producer_consumer(1)), UsageError);
}

TEST(Complete, JoinsEveryPair) {
  const Topology graph = complete(5);
  EXPECT_EQ(graph.edges(), 20U);
  EXPECT_EQ(outputs(graph, 2), (Row{0, 1, 3, 4}));
  EXPECT_EQ(graph.uniform_degree(), 4U);
  EXPECT_EQ(complete(1).edges(), 0U);
  EXPECT_THROW(static_cast<void>(complete(100000)), UsageError);
}

TEST(Torus, ListsNeighborsByDirection) {
  // 3 x 4, node 5 at row 1, column 1; node 0 in the corner.
  const Topology graph = torus({3, 4});
  EXPECT_EQ(inputs(graph, 5), (Row{1, 9, 4, 6}));
  EXPECT_EQ(inputs(graph, 0), (Row{8, 4, 3, 1}));
  EXPECT_EQ(graph.uniform_degree(), 4U);
  EXPECT_TRUE(graph.is_symmetric());
  EXPECT_EQ(graph.extents(), (Row{3, 4}));
  EXPECT_TRUE(graph.lattice().wraps);
  EXPECT_EQ(graph.input_index(0, 4), 1U);
}

TEST(Torus, HasTheSameDirectionAtTheSameIndexOfEveryNode) {
  const std::vector<std::uint32_t> extents{3, 4, 5};
  const Topology graph = torus(extents);
  const std::vector<std::uint32_t> strides{20, 5, 1};
  for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
    for (std::uint32_t k = 0; k < 6; ++k) {
      const std::uint32_t extent = extents[k / 2];
      const std::uint32_t stride = strides[k / 2];
      const std::uint32_t at = node / stride % extent;
      const std::uint32_t to = (at + (k % 2 == 0 ? extent - 1 : 1)) % extent;
      ASSERT_EQ(graph.inputs(node)[k], node - at * stride + to * stride) << "node " << node << ", direction " << k;
    }
  }
}

TEST(Torus, CountsTheOneNeighborAlongExtentTwoOnceAndNoneAlongExtentOne) {
  EXPECT_EQ(all_rows(torus({2})), (std::vector<Row>{{1}, {1}, {0}, {0}}));
  EXPECT_EQ(torus({1, 1}).edges(), 0U);
  EXPECT_EQ(torus({}).nodes(), 1U);
  const Topology mixed = torus({2, 3, 1});
  EXPECT_EQ(mixed.uniform_degree(), 3U);
  EXPECT_EQ(inputs(mixed, 0), (Row{3, 2, 1}));
  EXPECT_FALSE(has_self_loop(mixed));
}

TEST(Generators, ToriAreCopiesOfATorusWithoutAnEdgeBetweenThem) {
  const Topology one = torus({3, 4}), three = tori(3, {3, 4});
  ASSERT_EQ(three.nodes(), 36U);
  EXPECT_EQ(three.edges(), 3 * one.edges());
  EXPECT_EQ(three.uniform_degree(), one.uniform_degree());
  for (std::uint32_t node = 0; node < three.nodes(); ++node) {
    const std::uint32_t first = node / 12 * 12;
    std::vector<std::uint32_t> expected;
    for (const std::uint32_t neighbor : one.inputs(node % 12)) expected.push_back(first + neighbor);
    EXPECT_TRUE(std::ranges::equal(three.inputs(node), expected));
    EXPECT_TRUE(std::ranges::equal(three.outputs(node), expected));
  }
  EXPECT_EQ(tori(4, {1, 1}).edges(), 0U);
  EXPECT_THROW(static_cast<void>(tori(0, {3, 4})), UsageError);
  EXPECT_THROW(static_cast<void>(tori(65536, {65536})), UsageError);
}

TEST(Torus, RefusesNoAndTooManyNodes) {
  EXPECT_THROW(static_cast<void>(torus({3, 0})), UsageError);
  EXPECT_THROW(static_cast<void>(torus({65536, 65536})), UsageError);
  EXPECT_THROW(static_cast<void>(torus({4294967295U, 4294967295U, 4294967295U})), UsageError);
}

TEST(Grid, HasNoEdgesThatWrap) {
  const Topology graph = grid({3, 3});
  EXPECT_EQ(outputs(graph, 0), (Row{3, 1}));
  EXPECT_EQ(outputs(graph, 4), (Row{1, 7, 3, 5}));
  EXPECT_EQ(outputs(graph, 8), (Row{5, 7}));
  EXPECT_EQ(graph.edges(), 24U);
  EXPECT_EQ(graph.uniform_degree(), std::nullopt);
  EXPECT_FALSE(graph.lattice().wraps);
}

TEST(NearCube, FindsTheFlattestFactors) {
  EXPECT_EQ(near_cube(2048, 2), (Row{64, 32}));
  EXPECT_EQ(near_cube(1000000, 2), (Row{1000, 1000}));
  EXPECT_EQ(near_cube(24, 3), (Row{4, 3, 2}));
  EXPECT_EQ(near_cube(7, 2), (Row{7, 1}));
  EXPECT_EQ(near_cube(1, 4), (Row{1, 1, 1, 1}));
  EXPECT_THROW(static_cast<void>(near_cube(0, 2)), UsageError);
  EXPECT_THROW(static_cast<void>(near_cube(8, 0)), UsageError);
}

TEST(WattsStrogatz, WithoutRewiringIsARegularRing) {
  const Topology graph = watts_strogatz(10, 4, 0, 1);
  EXPECT_EQ(outputs(graph, 0), (Row{1, 2, 8, 9}));
  EXPECT_EQ(graph.uniform_degree(), 4U);
}

TEST(WattsStrogatz, RewiringKeepsTheNumberOfConnections) {
  for (const double rewire : {0.1, 0.5, 1.0}) {
    const Topology graph = watts_strogatz(200, 6, rewire, 42);
    EXPECT_EQ(graph.edges(), 1200U);
    EXPECT_TRUE(graph.is_symmetric());
    EXPECT_FALSE(has_self_loop(graph));
    EXPECT_NE(all_rows(graph), all_rows(watts_strogatz(200, 6, 0, 42)));
  }
  // Complete and nearly complete: nowhere or hardly anywhere to rewire to, yet it ends.
  EXPECT_EQ(watts_strogatz(5, 4, 1, 1).edges(), 20U);
  for (std::uint64_t seed = 0; seed < 100; ++seed) EXPECT_EQ(watts_strogatz(6, 4, 1, seed).edges(), 24U);
}

TEST(WattsStrogatz, RewiresTheGivenShare) {
  const Topology graph = watts_strogatz(10000, 4, 0.2, 7);
  std::uint64_t moved = 0;
  for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
    for (const std::uint32_t other : graph.outputs(node)) {
      const std::uint32_t apart = (other + graph.nodes() - node) % graph.nodes();
      if (apart > 2 && apart < graph.nodes() - 2) ++moved;
    }
  }
  // 20 % of 40000 directed edges; five standard deviations are 565.
  EXPECT_NEAR(static_cast<double>(moved), 8000.0, 565.0);
}

TEST(WattsStrogatz, RefusesWhatIsNoRing) {
  EXPECT_THROW(static_cast<void>(watts_strogatz(10, 3, 0, 1)), UsageError);
  EXPECT_THROW(static_cast<void>(watts_strogatz(4, 4, 0, 1)), UsageError);
  EXPECT_THROW(static_cast<void>(watts_strogatz(10, 2, 1.5, 1)), UsageError);
  EXPECT_THROW(static_cast<void>(watts_strogatz(10, 2, std::nan(""), 1)), UsageError);
}

TEST(NavigableSmallWorld, IsAGridWithOneWayLinks) {
  const Topology graph = navigable_small_world(20, 1, 2, 3);
  const Topology lattice = grid({20, 20});
  EXPECT_EQ(graph.edges(), lattice.edges() + 400);
  for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
    for (const std::uint32_t neighbor : lattice.outputs(node)) {
      EXPECT_LT(graph.input_index(node, neighbor), graph.reciprocal_degree(node));
    }
  }
  EXPECT_FALSE(graph.is_symmetric());
}

TEST(NavigableSmallWorld, PrefersNearNodesAsTheExponentSays) {
  // Without preference a link is as long as two random points of a 64 x 64 grid are apart, 2/3 of the side; with
  // exponent 2 lengths are spread evenly over powers of two.
  const auto mean_length = [](std::uint32_t exponent) {
    const std::uint32_t side = 64;
    const Topology graph = navigable_small_world(side, 1, exponent, 5);
    double sum = 0;
    std::uint32_t links = 0;
    for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
      for (const std::uint32_t other : graph.outputs(node)) {
        const int apart = std::abs(static_cast<int>(node / side) - static_cast<int>(other / side)) +
                          std::abs(static_cast<int>(node % side) - static_cast<int>(other % side));
        if (apart == 1) continue;
        sum += apart;
        ++links;
      }
    }
    return sum / links;
  };
  EXPECT_NEAR(mean_length(0), 64 * 2.0 / 3, 2);
  EXPECT_LT(mean_length(2), 25);
  EXPECT_NEAR(mean_length(6), 2.23, 0.1);  // sum of d^-4 / sum of d^-5 from 2
}

TEST(NavigableSmallWorld, RefusesLinksThatHaveNowhereToGo) {
  EXPECT_THROW(static_cast<void>(navigable_small_world(1, 1, 2, 1)), UsageError);
  EXPECT_THROW(static_cast<void>(navigable_small_world(0, 0, 2, 1)), UsageError);
  EXPECT_EQ(navigable_small_world(1, 0, 2, 1).nodes(), 1U);
  EXPECT_EQ(navigable_small_world(2, 1, 2, 1).edges(), 12U);
}

TEST(RandomGeometric, JoinsPointsWithinTheRadius) {
  const Topology graph = random_geometric(2000, 0.05, 9);
  EXPECT_TRUE(graph.is_symmetric());
  EXPECT_FALSE(has_self_loop(graph));
  // n (n-1) times the chance that two points are within r: pi r^2 - 8/3 r^3 + r^4 / 2.
  const double r = 0.05;
  const double expected = 2000.0 * 1999.0 * (3.14159265 * r * r - 8.0 / 3 * r * r * r + r * r * r * r / 2);
  EXPECT_NEAR(static_cast<double>(graph.edges()), expected, 0.05 * expected);
}

TEST(RandomGeometric, CellsDoNotChangeWhoIsNear) {
  // With radius 1 there is one cell: every pair is tried. The chance of a pair within the side of a square is 0.9749.
  const Topology graph = random_geometric(300, 1, 9);
  EXPECT_NEAR(static_cast<double>(graph.edges()), 0.9749 * 300 * 299, 0.02 * 300 * 299);
  EXPECT_THROW(static_cast<void>(random_geometric(10, 0, 1)), UsageError);
  EXPECT_THROW(static_cast<void>(random_geometric(10, 1.1, 1)), UsageError);
  EXPECT_THROW(static_cast<void>(random_geometric(1000000, 1, 1)), UsageError);
  EXPECT_EQ(random_geometric(0, 0.5, 1).nodes(), 0U);
}

TEST(RandomGraphs, AreFunctionsOfTheirSeed) {
  EXPECT_EQ(all_rows(watts_strogatz(100, 4, 0.3, 5)), all_rows(watts_strogatz(100, 4, 0.3, 5)));
  EXPECT_NE(all_rows(watts_strogatz(100, 4, 0.3, 5)), all_rows(watts_strogatz(100, 4, 0.3, 6)));
  EXPECT_EQ(all_rows(navigable_small_world(10, 2, 2, 5)), all_rows(navigable_small_world(10, 2, 2, 5)));
  EXPECT_NE(all_rows(navigable_small_world(10, 2, 2, 5)), all_rows(navigable_small_world(10, 2, 2, 6)));
  EXPECT_EQ(all_rows(random_geometric(100, 0.2, 5)), all_rows(random_geometric(100, 0.2, 5)));
  EXPECT_NE(all_rows(random_geometric(100, 0.2, 5)), all_rows(random_geometric(100, 0.2, 6)));
}

// The very graphs: a change of generator, of compiler flags or of machine must not change them unnoticed.
TEST(RandomGraphs, AreTheSameOnEveryMachine) {
  const auto fingerprint = [](const Topology& graph) {
    std::uint64_t hash = 14695981039346656037U;
    for (const Row& row : all_rows(graph)) {
      for (const std::uint32_t neighbor : row) hash = (hash ^ (neighbor + 1)) * 1099511628211U;
    }
    return hash;
  };
  EXPECT_EQ(fingerprint(watts_strogatz(1000, 4, 0.25, 1)), 15188706006342842987U);
  EXPECT_EQ(fingerprint(navigable_small_world(30, 1, 2, 1)), 3130922863673493355U);
  EXPECT_EQ(fingerprint(random_geometric(1000, 0.05, 1)), 6400284736752208133U);
}

}  // namespace
}  // namespace laxity::topologies
