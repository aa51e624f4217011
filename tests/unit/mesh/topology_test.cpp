#include "laxity/mesh/topology.hpp"

#include <gtest/gtest.h>

#include "laxity/error.hpp"
#include "tests/unit/mesh/rows.hpp"

namespace laxity {
namespace {

TEST(Topology, WithoutNodesHasNothing) {
  const Topology nothing;
  EXPECT_EQ(nothing.nodes(), 0U);
  EXPECT_EQ(nothing.edges(), 0U);
  EXPECT_EQ(nothing.uniform_degree(), std::nullopt);
  EXPECT_TRUE(nothing.is_symmetric());
  EXPECT_EQ(Topology::from_edges(0, {}).nodes(), 0U);
}

TEST(Topology, ListsReciprocalNeighborsFirstInTheSameOrder) {
  // Node 2 exchanges with 4 and 1, hears from 0 and speaks to 3.
  const auto graph = Topology::from_edges(5, {{2, 4}, {4, 2}, {0, 2}, {2, 3}, {1, 2}, {2, 1}});
  EXPECT_EQ(inputs(graph, 2), (Row{1, 4, 0}));
  EXPECT_EQ(outputs(graph, 2), (Row{1, 4, 3}));
  EXPECT_EQ(graph.reciprocal_degree(2), 2U);
  EXPECT_EQ(graph.reciprocal_degree(0), 0U);
  EXPECT_FALSE(graph.is_symmetric());
}

TEST(Topology, FindsWhereAnInputStands) {
  const auto graph = Topology::from_edges(5, {{2, 4}, {4, 2}, {0, 2}, {2, 3}, {1, 2}, {2, 1}});
  EXPECT_EQ(graph.input_index(2, 1), 0U);
  EXPECT_EQ(graph.input_index(2, 4), 1U);
  EXPECT_EQ(graph.input_index(2, 0), 2U);
  EXPECT_EQ(graph.input_index(2, 3), std::nullopt);
  EXPECT_EQ(graph.input_index(0, 2), std::nullopt);
}

TEST(Topology, CountsARepeatedEdgeOnceWithItsLargestWeight) {
  const auto graph = Topology::from_edges(3, {{0, 1}, {0, 2}, {0, 1}, {0, 1}}, {3, 1, 7, 2});
  EXPECT_EQ(graph.edges(), 2U);
  EXPECT_EQ(outputs(graph, 0), (Row{1, 2}));
  EXPECT_EQ(weights(graph, 0), (Row{7, 1}));
  EXPECT_EQ(weights(graph, 1), Row{});
}

TEST(Topology, WeightsMoveWithTheirEdges) {
  const auto graph = Topology::from_edges(3, {{0, 1}, {0, 2}, {2, 0}}, {5, 6, 7});
  EXPECT_EQ(outputs(graph, 0), (Row{2, 1}));
  EXPECT_EQ(weights(graph, 0), (Row{6, 5}));
  EXPECT_EQ(weights(graph, 2), (Row{7}));
}

TEST(Topology, ASelfLoopIsOneEdgeInBothDirections) {
  const auto graph = Topology::from_edges(2, {{1, 1}});
  EXPECT_EQ(graph.edges(), 1U);
  EXPECT_EQ(inputs(graph, 1), (Row{1}));
  EXPECT_EQ(outputs(graph, 1), (Row{1}));
  EXPECT_TRUE(graph.is_symmetric());
}

TEST(Topology, UniformDegreeNeedsEqualInputsAndOutputs) {
  EXPECT_EQ(Topology::from_edges(3, {{0, 1}, {1, 2}, {2, 0}}).uniform_degree(), 1U);
  EXPECT_EQ(Topology::from_edges(3, {{0, 1}, {1, 0}, {2, 0}}).uniform_degree(), std::nullopt);
  EXPECT_EQ(Topology::from_edges(3, {}).uniform_degree(), 0U);
}

TEST(Topology, RefusesWhatIsNoGraph) {
  EXPECT_THROW(static_cast<void>(Topology::from_edges(2, {{0, 2}})), UsageError);
  EXPECT_THROW(static_cast<void>(Topology::from_edges(2, {{2, 0}})), UsageError);
  EXPECT_THROW(static_cast<void>(Topology::from_edges(2, {{0, 1}}, {1, 1})), UsageError);
  EXPECT_THROW(static_cast<void>(Topology::from_edges(2, {{0, 1}}, {0})), UsageError);
  Topology graph = Topology::from_edges(2, {});
  EXPECT_THROW(graph.set_node_weights({1, 2, 3}), UsageError);
}

}  // namespace
}  // namespace laxity
