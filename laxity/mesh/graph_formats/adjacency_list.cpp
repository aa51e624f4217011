// NetworkX adjacency lists: "a b c" are edges from a to b and to c; "a" is a node without edges.
// Source: https://networkx.org/documentation/stable/reference/readwrite/adjlist.html
#include <string_view>

#include "laxity/mesh/graph_formats/detail/graph_formats.hpp"
#include "laxity/mesh/graph_formats/detail/labels.hpp"

namespace laxity::detail {
namespace {

// False if a label is not of the kind of the graph.
bool read_lines(TextScanner text, bool directed, LabeledGraph& graph) {
  for (; !text.at_end(); text.next_line()) {
    const std::string_view first = text.word('#');
    if (first.empty()) continue;
    const auto node = graph.number_of(first);
    if (!node) return false;
    bool alone = true;
    for (auto label = text.word('#'); !label.empty(); label = text.word('#')) {
      const auto neighbor = graph.number_of(label);
      if (!neighbor) return false;
      graph.add_edge(*node, *neighbor, directed);
      alone = false;
    }
    if (alone) graph.add_node(*node);
  }
  return true;
}

}  // namespace

Topology read_adjacency_list(const TextScanner& text, bool directed) {
  return read_labeled_graph(text, directed, read_lines);
}

}  // namespace laxity::detail
