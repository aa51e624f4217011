// Thousands of damaged graph files, each a function of its seed: no crash, no hang, no memory beyond the text's worth.
#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "laxity/mesh/topologies/generators.hpp"
#include "laxity/random.hpp"
#include "tests/property/graph_file_checks.hpp"
#include "tests/property/parser_checks.hpp"

namespace laxity {
namespace {

constexpr std::uint64_t rounds = 4000;

struct Sample {
  GraphFormat format;
  std::string text;
};

std::vector<Sample> samples() {
  std::vector<Sample> all;
  Topology weighted = Topology::from_edges(4, {{0, 1}, {1, 0}, {1, 3}, {3, 1}}, {4, 4, 9, 9});
  weighted.set_node_weights({1, 2, 3, 4, 5, 6, 7, 8}, 2);
  for (const Topology& graph : {weighted, topologies::watts_strogatz(12, 4, 0.5, 1), topologies::grid({3, 4})}) {
    for (const GraphFormat format :
         {GraphFormat::adjacency_list, GraphFormat::edge_list, GraphFormat::metis, GraphFormat::matrix_market}) {
      all.push_back({format, format_graph(graph, format)});
    }
  }
  all.push_back({GraphFormat::adjacency_list, "# names\nberlin paris rome\n\nparis oslo # north\n"});
  all.push_back({GraphFormat::edge_list, "a b {'weight': 3}\nb c 2.5\r\n0 7 1 # x\n"});
  all.push_back({GraphFormat::metis, "% sizes\n3 2 111\n1 1 2 5\n1 1 1 5 3 6\n1 1 2 6\n"});
  all.push_back({GraphFormat::matrix_market,
                 "%%MatrixMarket matrix coordinate complex hermitian\n%\n3 3 2\n2 1 1 -2\n3 3 1e5 0\n"});
  return all;
}

// What these formats are sensitive to.
constexpr std::array<std::string_view, 14> words{
    " ", "\n", "\r", "#", "%", "-1", "0", "1.5e9", "4294967295", "18446744073709551616", "1000000000000000000",
    "x", "\t", "{"};

TEST(GraphFile, SamplesAreGraphs) {
  for (const Sample& sample : samples())
    EXPECT_TRUE(parses_or_names_the_place(sample.text, sample.format, false)) << sample.text;
}

TEST(GraphFile, DamagedTextIsAGraphOrAnErrorThatNamesItsPlace) {
  for (const Sample& sample : samples()) {
    for (std::uint64_t seed = 0; seed < rounds; ++seed) {
      SeededRandom random(seed);
      std::string text = sample.text;
      for (std::uint32_t wounds = 1 + random.below(4); wounds > 0; --wounds) damage(text, words, random);
      EXPECT_NO_THROW(static_cast<void>(parses_or_names_the_place(text, sample.format, random.below(2) == 0)))
          << "seed " << seed << " on\n"
          << sample.text;
    }
  }
}

TEST(GraphFile, EveryPrefixIsAGraphOrAnErrorThatNamesItsPlace) {
  for (const Sample& sample : samples()) {
    for (std::size_t length = 0; length <= sample.text.size(); ++length) {
      EXPECT_NO_THROW(static_cast<void>(parses_or_names_the_place(sample.text.substr(0, length), sample.format, true)))
          << "the first " << length << " bytes of\n"
          << sample.text;
    }
  }
}

TEST(GraphFile, AnyFormatBearsAnyOther) {
  for (const Sample& sample : samples()) {
    for (const GraphFormat format :
         {GraphFormat::adjacency_list, GraphFormat::edge_list, GraphFormat::metis, GraphFormat::matrix_market}) {
      EXPECT_NO_THROW(static_cast<void>(parses_or_names_the_place(sample.text, format, false))) << sample.text;
    }
  }
}

}  // namespace
}  // namespace laxity
