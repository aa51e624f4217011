// Edge lists: "a b", "a b 3" or "a b {'weight': 3}", one edge per line.
// Source: https://networkx.org/documentation/stable/reference/readwrite/edgelist.html
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "laxity/mesh/graph_formats/detail/graph_formats.hpp"
#include "laxity/mesh/graph_formats/detail/labels.hpp"

namespace laxity::detail {
namespace {

void read_weight(TextScanner& text, LabeledGraph& graph) {
  text.skip_blanks();
  if (text.at_line_end() || text.peek() == '#' || text.peek() == '{') return;
  const std::string_view word = text.word('#');
  double weight = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), weight);
  // The negated condition rejects NaN.
  if (error != std::errc() || end != word.data() + word.size() || !(weight >= 0 && weight <= 4294967295.0)) {
    text.fail(word.data(), "expected a weight, a number in 0..4294967295, or a dictionary; found " + quoted(word));
  }
  graph.set_weight(std::max(1U, static_cast<std::uint32_t>(std::llround(weight))));
  text.skip_blanks();
  if (!text.at_line_end() && text.peek() != '#') {
    text.fail(text.at(), "expected the end of the line after the weight: one edge per line");
  }
}

// False if a label is not of the kind of the graph.
bool read_lines(TextScanner text, bool directed, LabeledGraph& graph) {
  for (; !text.at_end(); text.next_line()) {
    const std::string_view first = text.word('#');
    if (first.empty()) continue;
    const std::string_view second = text.word('#');
    if (second.empty()) text.fail(text.at(), "expected a second label: an edge joins two nodes");
    const auto source = graph.number_of(first);
    const auto target = graph.number_of(second);
    if (!source || !target) return false;
    graph.add_edge(*source, *target, directed);
    read_weight(text, graph);
  }
  return true;
}

}  // namespace

Topology read_edge_list(const TextScanner& text, bool directed) {
  return read_labeled_graph(text, directed, read_lines);
}

}  // namespace laxity::detail
