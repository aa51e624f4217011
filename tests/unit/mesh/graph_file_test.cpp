#include "laxity/mesh/graph_formats/graph_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>

#include "laxity/error.hpp"
#include "laxity/mesh/topologies/generators.hpp"
#include "tests/unit/mesh/rows.hpp"

namespace laxity {
namespace {

Topology adjacency_list(std::string_view text, bool directed = false) {
  return parse_graph(text, "t.adjlist", GraphFormat::adjacency_list, directed);
}
Topology edge_list(std::string_view text, bool directed = false) {
  return parse_graph(text, "t.edgelist", GraphFormat::edge_list, directed);
}
Topology metis(std::string_view text) { return parse_graph(text, "t.graph", GraphFormat::metis); }
Topology matrix(std::string_view text) { return parse_graph(text, "t.mtx", GraphFormat::matrix_market); }

// The text fails at this place, with a message that has these words in it.
void expect_fault(GraphFormat format, std::string_view text, long line, long column, const std::string& words) {
  SCOPED_TRACE(text);
  try {
    static_cast<void>(parse_graph(text, "sample", format));
    FAIL() << "no error; expected one about " << words;
  } catch (const ParseError& error) {
    EXPECT_EQ(error.line(), line) << error.what();
    EXPECT_EQ(error.column(), column) << error.what();
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find("sample:"), 0U) << error.what();
  }
}

void expect_equal(const Topology& a, const Topology& b) {
  ASSERT_EQ(a.nodes(), b.nodes());
  for (std::uint32_t node = 0; node < a.nodes(); ++node) {
    ASSERT_EQ(inputs(a, node), inputs(b, node)) << "node " << node;
    ASSERT_EQ(outputs(a, node), outputs(b, node)) << "node " << node;
    ASSERT_EQ(weights(a, node), weights(b, node)) << "node " << node;
  }
}

TEST(AdjacencyList, JoinsTheFirstLabelToTheOthers) {
  const Topology graph = adjacency_list("# made by hand\n0 1 2\n1\t3 # to the right\n\n  2 3\r\n4");
  EXPECT_EQ(graph.nodes(), 5U);
  EXPECT_EQ(outputs(graph, 0), (Row{1, 2}));
  EXPECT_EQ(outputs(graph, 3), (Row{1, 2}));
  EXPECT_EQ(outputs(graph, 4), Row{});
  EXPECT_TRUE(graph.is_symmetric());
}

TEST(AdjacencyList, IsOneWayIfAsked) {
  const Topology graph = adjacency_list("0 1 2\n1 0\n", true);
  EXPECT_EQ(outputs(graph, 0), (Row{1, 2}));
  EXPECT_EQ(outputs(graph, 1), (Row{0}));
  EXPECT_EQ(outputs(graph, 2), Row{});
}

TEST(AdjacencyList, ClosesGapsBetweenNumbersInTheirOrder) {
  EXPECT_EQ(outputs(adjacency_list("3 1\n1 2\n"), 0), (Row{1, 2}));      // 1 2 3 -> 0 1 2
  EXPECT_EQ(outputs(adjacency_list("7\n4000000000 5\n"), 2), (Row{0}));  // 5 7 4000000000 -> 0 1 2
  EXPECT_EQ(adjacency_list("9").nodes(), 1U);
}

TEST(AdjacencyList, NumbersNamesAsTheyAppear) {
  const Topology graph = adjacency_list("5 b a#c\nb -1");  // one name makes all of them names
  EXPECT_EQ(graph.nodes(), 4U);
  EXPECT_EQ(outputs(graph, 0), (Row{1, 2}));
  EXPECT_EQ(outputs(graph, 1), (Row{0, 3}));
  EXPECT_EQ(adjacency_list("99999999999999999999 1").nodes(), 2U);
}

TEST(AdjacencyList, OfNothingIsEmpty) {
  EXPECT_EQ(adjacency_list("").nodes(), 0U);
  EXPECT_EQ(adjacency_list("\n# nothing\n \n").nodes(), 0U);
}

TEST(EdgeList, TakesWeightsAndSkipsDictionaries) {
  const Topology graph = edge_list("0 1 3\n0 2 {'weight': 7}\n1 2 2.6\n2 3 0.1 # small\n3 0{}\n");
  EXPECT_EQ(outputs(graph, 0), (Row{1, 2}));
  EXPECT_EQ(weights(graph, 0), (Row{3, 1}));
  EXPECT_EQ(weights(graph, 1), (Row{3, 3}));
}

TEST(EdgeList, WeighsBothDirectionsAndOneDirection) {
  EXPECT_EQ(weights(edge_list("0 1 4\n1 2\n"), 1), (Row{4, 1}));
  EXPECT_EQ(weights(edge_list("0 1\n1 2 4\n", true), 1), (Row{4}));
  EXPECT_FALSE(edge_list("0 1\n").has_edge_weights());
}

TEST(EdgeList, NamesThePlaceOfAFault) {
  const auto format = GraphFormat::edge_list;
  expect_fault(format, "0 1\n2\n", 2, 2, "second label");
  expect_fault(format, "0 1\n\n 2  # alone\n", 3, 5, "second label");
  expect_fault(format, "0 1 heavy\n", 1, 5, "'heavy'");
  expect_fault(format, "0 1 -3\n", 1, 5, "weight");
  expect_fault(format, "0 1 nan\n", 1, 5, "weight");
  expect_fault(format, "0 1 3 4\n", 1, 7, "end of the line");
  expect_fault(format, "a b\nc", 2, 2, "second label");
}

TEST(Metis, ReadsEveryFormOfHeader) {
  const Topology plain = metis("% a triangle and a tail\n4 4\n2 3\n1 3\n1 2 4\n3\n");
  EXPECT_EQ(outputs(plain, 2), (Row{0, 1, 3}));
  EXPECT_TRUE(plain.node_weights().empty());

  const Topology edge_weights = metis("3 2 1\n2 5\n1 5 3 6\n% between\n2 6");
  EXPECT_EQ(weights(edge_weights, 1), (Row{5, 6}));

  const Topology all = metis("2 1 111 2\n9 1 2 2 7\n9 3 4 1 7\n");
  EXPECT_EQ(weights(all, 0), (Row{7}));
  EXPECT_EQ(all.weights_per_node(), 2U);
  EXPECT_EQ(Row(all.node_weights().begin(), all.node_weights().end()), (Row{1, 2, 3, 4}));

  EXPECT_EQ(metis("2 0 10\n5\n6\n").node_weights()[1], 6U);
  EXPECT_EQ(metis("0 0").nodes(), 0U);
}

TEST(Metis, AnEmptyLineIsANodeWithoutNeighbors) {
  const Topology graph = metis("3 1\n3\n\n1\n\n% done\n");
  EXPECT_EQ(outputs(graph, 1), Row{});
  EXPECT_EQ(outputs(graph, 2), (Row{0}));
}

TEST(Metis, NamesThePlaceOfAFault) {
  const auto format = GraphFormat::metis;
  expect_fault(format, "", 1, 1, "number of nodes");
  expect_fault(format, "x 1\n", 1, 1, "'x'");
  expect_fault(format, "1000000000000000000 1\n1\n", 1, 1, "number of nodes");
  expect_fault(format, "4000000000 1\n1\n", 1, 1, "number of nodes");
  expect_fault(format, "18446744073709551618 1\n2\n1\n", 1, 1, "number of nodes");
  expect_fault(format, "2 1000000000000000000\n2\n1\n", 1, 3, "number of edges");
  expect_fault(format, "99999999999999999999999 1\n1\n", 1, 1, "number of nodes");
  expect_fault(format, "2 1 2\n2\n1\n", 1, 5, "format");
  expect_fault(format, "2 1 1 1\n2\n1\n", 1, 7, "no node weights");
  expect_fault(format, "2 1 11 0\n2\n1\n", 1, 8, "weights per node");
  expect_fault(format, "2 1 11 1 1\n2\n1\n", 1, 10, "after the header");
  expect_fault(format, "3 1\n2\n1\n", 4, 1, "line of node 3");
  expect_fault(format, "2 1\n2\n1\n\n7\n", 5, 1, "nothing after");
  expect_fault(format, "2 1\n2\n3\n", 3, 1, "1..2");
  expect_fault(format, "2 1\n2\n0\n", 3, 1, "1..2");
  expect_fault(format, "2 1\n2\n1x\n", 3, 1, "'1x'");
  expect_fault(format, "2 1\n2 1\n1\n", 2, 3, "own neighbor");
  expect_fault(format, "3 2\n2 3\n1\n\n", 2, 3, "both directions");
  expect_fault(format, "2 1\n2  2\n1 1\n", 2, 4, "repeated");
  expect_fault(format, "2 1 1\n2 5\n1 6\n", 2, 1, "differently");
  expect_fault(format, "2 1 1\n2\n1 6\n", 2, 2, "end of the line");
  expect_fault(format, "2 1 1\n2 0\n1 0\n", 2, 3, "edge weight");
  expect_fault(format, "% two\n3 3\n2\n1\n\n", 2, 3, "list 1");
}

TEST(MatrixMarket, ReadsEntriesAsEdgesFromRowToColumn) {
  const Topology graph = matrix("%%MatrixMarket matrix coordinate pattern general\n% note\n\n3 3 3\n1 2\n2 1\n3 1\n");
  EXPECT_EQ(outputs(graph, 2), (Row{0}));
  EXPECT_EQ(inputs(graph, 0), (Row{1, 2}));
  EXPECT_FALSE(graph.is_symmetric());
}

TEST(MatrixMarket, ReadsTheLowerTriangleBothWaysAndSkipsDiagonalAndValues) {
  const Topology graph =
      matrix("%%matrixmarket MATRIX Coordinate Real Symmetric\n3 3 4\n1 1 2.5\n2 1 -1e-3\n3 2 +4\n3 3 0\n\n% end\n");
  EXPECT_EQ(graph.edges(), 4U);
  EXPECT_TRUE(graph.is_symmetric());
  EXPECT_FALSE(graph.has_edge_weights());
  EXPECT_EQ(matrix("%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 1 0.5\n").edges(), 2U);
  EXPECT_EQ(matrix("%%MatrixMarket matrix coordinate pattern general\n1000 1000 0\n").nodes(), 1000U);
}

TEST(MatrixMarket, NamesThePlaceOfAFault) {
  const auto format = GraphFormat::matrix_market;
  const std::string head = "%%MatrixMarket matrix coordinate integer symmetric\n";
  expect_fault(format, "", 1, 1, "%%MatrixMarket");
  expect_fault(format, "%%MatrixMarket matrix array real general\n", 1, 23, "'array'");
  expect_fault(format, "%%MatrixMarket matrix coordinate quaternion general\n", 1, 34,
               "pattern, real, integer or complex");
  expect_fault(format, "%%MatrixMarket matrix coordinate real lopsided\n", 1, 39, "general, symmetric");
  expect_fault(format, head, 2, 1, "rows columns entries");
  expect_fault(format, head + "3 4 0\n", 2, 3, "columns");
  expect_fault(format, head + "1000000000000000000 1000000000000000000 0\n", 2, 1, "rows");
  expect_fault(format, head + "4000000000 4000000000 0\n", 2, 1, "rows");
  expect_fault(format, head + "3 3 1000000000000000000\n", 2, 5, "entries");
  expect_fault(format, head + "3 3 2\n2 1 5\n", 4, 1, "entry 2 of 2");
  expect_fault(format, head + "3 3 1\n2 1 5\n3 1 5\n", 4, 1, "nothing after");
  expect_fault(format, head + "3 3 1\n4 1 5\n", 3, 1, "1..3");
  expect_fault(format, head + "3 3 1\n2 0 5\n", 3, 3, "a column");
  expect_fault(format, head + "3 3 1\n2 1\n", 3, 4, "a value");
  expect_fault(format, head + "3 3 1\n2 1 five\n", 3, 5, "'five'");
  expect_fault(format, head + "3 3 1\n2 1 5 6\n", 3, 7, "end of the line");
  expect_fault(format, head + "3 3 1\n1 2 5\n", 3, 1, "lower triangle");
}

TEST(GraphFile, ErrorsQuoteOnlyTheBeginningOfBinaryWords) {
  const std::string text = "2 1\n" + std::string(100, '\x01') + "\n";
  expect_fault(GraphFormat::metis, text, 2, 1, "'.......................'");
}

TEST(GraphFile, FormatsAreKnownByExtensionAndByName) {
  EXPECT_EQ(graph_format_of_extension("a/b.adjlist"), GraphFormat::adjacency_list);
  EXPECT_EQ(graph_format_of_extension("b.edges"), GraphFormat::edge_list);
  EXPECT_EQ(graph_format_of_extension("b.graph"), GraphFormat::metis);
  EXPECT_EQ(graph_format_of_extension("b.mtx"), GraphFormat::matrix_market);
  EXPECT_THROW(static_cast<void>(graph_format_of_extension("b.png")), UsageError);
  EXPECT_EQ(graph_format_named("metis"), GraphFormat::metis);
  EXPECT_THROW(static_cast<void>(graph_format_named("dot")), UsageError);
}

class GraphFileOnDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "laxity-graph-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

TEST_F(GraphFileOnDisk, ComesBackAsItWas) {
  for (const char* name : {"g.adjlist", "g.edgelist", "g.graph", "g.mtx"}) {
    SCOPED_TRACE(name);
    const Topology graph = topologies::watts_strogatz(500, 6, 0.3, 11);
    write_graph_file(graph, path(name));
    expect_equal(read_graph_file(path(name)), graph);
  }
}

TEST_F(GraphFileOnDisk, OneWayEdgesComeBackAsTheyWere) {
  const Topology graph = topologies::navigable_small_world(15, 2, 1, 4);
  for (const char* name : {"g.adj", "g.el", "g.mtx"}) {
    SCOPED_TRACE(name);
    write_graph_file(graph, path(name));
    expect_equal(read_graph_file(path(name), {.format = std::nullopt, .directed = true}), graph);
  }
  EXPECT_THROW(write_graph_file(graph, path("g.graph")), UsageError);
  EXPECT_THROW(write_graph_file(topologies::loop(2), path("g.graph")), UsageError);
}

TEST_F(GraphFileOnDisk, WeightsComeBackAsTheyWere) {
  Topology graph = Topology::from_edges(3, {{0, 1}, {1, 0}, {1, 2}, {2, 1}}, {4, 4, 9, 9});
  write_graph_file(graph, path("g.edgelist"));
  expect_equal(read_graph_file(path("g.edgelist")), graph);
  graph.set_node_weights({1, 2, 3, 4, 5, 6}, 2);
  write_graph_file(graph, path("g.graph"));
  const Topology back = read_graph_file(path("g.graph"));
  expect_equal(back, graph);
  EXPECT_EQ(back.weights_per_node(), 2U);
  EXPECT_TRUE(std::equal(graph.node_weights().begin(), graph.node_weights().end(), back.node_weights().begin()));
}

TEST_F(GraphFileOnDisk, UnreadableFilesAreNamed) {
  try {
    static_cast<void>(read_graph_file(path("missing.graph")));
    FAIL();
  } catch (const SystemError& error) {
    EXPECT_NE(std::string(error.what()).find(path("missing.graph")), std::string::npos);
    EXPECT_EQ(error.error_number(), ENOENT);
  }
  std::filesystem::create_directory(path("folder.graph"));
  EXPECT_THROW(static_cast<void>(read_graph_file(path("folder.graph"))), UsageError);
  // A pipe nobody writes to must not hang.
  ASSERT_EQ(mkfifo(path("pipe.graph").c_str(), 0600), 0);
  EXPECT_THROW(static_cast<void>(read_graph_file(path("pipe.graph"))), UsageError);
  EXPECT_THROW(static_cast<void>(read_graph_file("/dev/zero", {.format = GraphFormat::metis})), UsageError);
  EXPECT_THROW(write_graph_file(topologies::ring(3), path("no/such/folder.el")), SystemError);
}

}  // namespace
}  // namespace laxity
