// What must hold of the graph parsers for any bytes: a graph that keeps its promises, or an error that names a place
// inside the text.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "laxity/error.hpp"
#include "laxity/mesh/graph_formats/graph_file.hpp"

namespace laxity {

/// Throws std::logic_error if the rows of the graph contradict each other.
inline void check_rows(const Topology& graph) {
  const auto demand = [](bool holds, const char* what) {
    if (!holds) throw std::logic_error(what);
  };
  std::uint64_t inputs = 0;
  std::uint64_t outputs = 0;
  for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
    inputs += graph.inputs(node).size();
    outputs += graph.outputs(node).size();
    const std::uint32_t reciprocal = graph.reciprocal_degree(node);
    for (std::uint32_t k = 0; k < graph.outputs(node).size(); ++k) {
      const std::uint32_t target = graph.outputs(node)[k];
      demand(target < graph.nodes(), "an edge leads nowhere");
      demand(graph.input_index(target, node).has_value(), "an output is nobody's input");
      demand(graph.input_index(node, target).has_value() == (k < reciprocal), "reciprocal edges are not first");
    }
    for (std::uint32_t k = 0; k < graph.inputs(node).size(); ++k) {
      demand(graph.input_index(node, graph.inputs(node)[k]) == k, "an input is not where input_index says");
      if (k < reciprocal) demand(graph.inputs(node)[k] == graph.outputs(node)[k], "inputs and outputs do not zip");
    }
  }
  demand(inputs == outputs && outputs == graph.edges(), "inputs and outputs differ in number");
}

/// Parses; true if the text is a graph. Anything but a sound graph or a sound ParseError leaves as another exception.
inline bool parses_or_names_the_place(std::string_view text, GraphFormat format, bool directed) {
  try {
    check_rows(parse_graph(text, "sample", format, directed));
    return true;
  } catch (const ParseError& error) {
    const auto lines = 1 + std::count(text.begin(), text.end(), '\n');
    std::string_view rest = text;
    for (long line = 1; line < error.line(); ++line) rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
    const auto length = static_cast<long>(std::min(rest.find('\n'), rest.size()));
    if (error.line() < 1 || error.line() > lines || error.column() < 1 || error.column() > length + 1) {
      throw std::logic_error(std::string("the place is outside the text: ") + error.what());
    }
    return false;
  }
}

}  // namespace laxity
