// METIS graphs: a header "nodes edges [format [constraints]]"; line i after it has the weights and neighbors of node i.
// Source: Karypis, METIS 5.1.0 manual, section 4.1.1.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/mesh/graph_formats/detail/graph_formats.hpp"

namespace laxity::detail {
namespace {

constexpr std::uint64_t largest_weight = (std::uint64_t{1} << 31) - 1;

struct Header {
  std::uint32_t nodes = 0;
  std::uint64_t edges = 0;  // undirected
  bool has_sizes = false;
  bool has_edge_weights = false;
  std::uint32_t node_weights = 0;        // per node
  const char* edges_position = nullptr;  // for the error if the number is wrong
};

void skip_comment_lines(TextScanner& text) {
  while (text.peek() == '%') text.next_line();
}

void expect_line_end(TextScanner& text, const char* after) {
  text.skip_blanks();
  if (!text.at_line_end()) text.fail(text.at(), std::string("expected the end of the line after ") + after);
}

Header read_header(TextScanner& text) {
  skip_comment_lines(text);
  text.skip_blanks();
  Header header;
  // Every node has a line and every edge two entries, so a file has no more of them than bytes.
  header.nodes = static_cast<std::uint32_t>(
      text.number("the number of nodes (at most the file's bytes)", 0, std::min(text.size(), Topology::max_nodes)));
  text.skip_blanks();
  header.edges_position = text.at();
  header.edges = text.number("the number of edges (at most half the file's bytes)", 0,
                             std::min<std::uint64_t>(text.size(), Topology::max_edges) / 2);
  text.skip_blanks();
  if (text.at_line_end()) return header;

  const std::string_view format = text.word();
  if (format.size() > 3 || format.find_first_not_of("01") != std::string_view::npos) {
    text.fail(format.data(),
              "expected a format of at most three digits 0 or 1 (sizes, node weights, edge weights); found " +
                  quoted(format));
  }
  const std::string digits = std::string(3 - format.size(), '0') + std::string(format);
  header.has_sizes = digits[0] == '1';
  header.node_weights = digits[1] == '1' ? 1 : 0;
  header.has_edge_weights = digits[2] == '1';
  text.skip_blanks();
  if (text.at_line_end()) return header;

  const char* const position = text.at();
  const auto constraints = static_cast<std::uint32_t>(text.number("the number of weights per node", 1, 64));
  if (header.node_weights == 0)
    text.fail(position, "the format has no node weights; make its second digit from the right 1");
  header.node_weights = constraints;
  expect_line_end(text, "the header");
  return header;
}

// Calls on_edge(position, neighbor, weight) for each entry of a node's line, and appends the node weights.
template <class OnEdge>
void read_node(TextScanner& text, const Header& header, std::vector<std::uint32_t>& node_weights, OnEdge&& on_edge) {
  if (header.has_sizes) static_cast<void>(text.number("the node's size"));
  for (std::uint32_t i = 0; i < header.node_weights; ++i) {
    node_weights.push_back(static_cast<std::uint32_t>(text.number("a node weight", 0, largest_weight)));
  }
  for (text.skip_blanks(); !text.at_line_end(); text.skip_blanks()) {
    const char* const position = text.at();
    const auto neighbor = static_cast<std::uint32_t>(text.number("a neighbor", 1, header.nodes)) - 1;
    const std::uint64_t weight = header.has_edge_weights ? text.number("an edge weight", 1, largest_weight) : 1;
    on_edge(position, neighbor, static_cast<std::uint32_t>(weight));
  }
}

// Reads all nodes; calls on_edge(position, node, neighbor, weight) for each entry.
template <class OnEdge>
void read_nodes(TextScanner& text, const Header& header, std::vector<std::uint32_t>& node_weights, OnEdge&& on_edge) {
  for (std::uint32_t node = 0; node < header.nodes; ++node) {
    text.next_line();
    skip_comment_lines(text);
    if (text.at_end()) {
      text.fail(text.at(), "expected the line of node " + std::to_string(node + 1) + " of " +
                               std::to_string(header.nodes) + "; the file ends here");
    }
    read_node(text, header, node_weights, [&](const char* position, std::uint32_t neighbor, std::uint32_t weight) {
      if (neighbor == node) text.fail(position, "a node cannot be its own neighbor in this format");
      on_edge(position, node, neighbor, weight);
    });
  }
  while (!text.at_end()) {
    text.next_line();
    skip_comment_lines(text);
    text.skip_blanks();
    if (!text.at_line_end()) {
      text.fail(text.at(), "expected nothing after the line of the last node, " + std::to_string(header.nodes));
    }
  }
}

// The weight of an edge, 0 if there is none.
std::uint32_t weight_of(const Topology& topology, std::uint32_t source, std::uint32_t target) {
  if (!topology.input_index(target, source)) return 0;
  if (!topology.has_edge_weights()) return 1;
  // Reciprocal neighbors have the same index in both lists.
  const auto index = topology.input_index(source, target);
  return index ? topology.output_weights(source)[*index] : 0;
}

bool has_unequal_weights(const Topology& topology) {
  if (!topology.has_edge_weights()) return false;
  for (std::uint32_t node = 0; node < topology.nodes(); ++node) {
    const auto neighbors = topology.outputs(node);
    const auto weights = topology.output_weights(node);
    for (std::size_t i = 0; i < neighbors.size(); ++i) {
      if (weights[i] != weight_of(topology, neighbors[i], node)) return true;
    }
  }
  return false;
}

// Reads the file again to find the edge that is repeated, has no opposite or has another weight than its opposite.
[[noreturn]] void fail_at_first_fault(TextScanner text, const Topology& topology) {
  const Header header = read_header(text);
  std::vector<std::uint32_t> node_weights;
  std::vector<std::uint32_t> last_seen_by(header.nodes, header.nodes);
  read_nodes(text, header, node_weights,
             [&](const char* position, std::uint32_t node, std::uint32_t neighbor, std::uint32_t weight) {
               const std::string pair = std::to_string(node + 1) + " and " + std::to_string(neighbor + 1);
               if (last_seen_by[neighbor] == node) text.fail(position, "the edge between " + pair + " is repeated");
               last_seen_by[neighbor] = node;
               if (!topology.input_index(node, neighbor)) {
                 text.fail(position, "the line of node " + std::to_string(neighbor + 1) + " does not list " +
                                         std::to_string(node + 1) + "; this format needs both directions");
               }
               if (header.has_edge_weights && weight_of(topology, neighbor, node) != weight) {
                 text.fail(position, "the edge between " + pair + " is weighted differently in the two directions");
               }
             });
  text.fail(text.at(), "the graph is not symmetric");
}

}  // namespace

Topology read_metis(TextScanner text) {
  const TextScanner from_the_start = text;
  const Header header = read_header(text);
  std::vector<Edge> edges;
  std::vector<std::uint32_t> weights;
  std::vector<std::uint32_t> node_weights;
  edges.reserve(2 * header.edges);
  read_nodes(text, header, node_weights,
             [&](const char*, std::uint32_t node, std::uint32_t neighbor, std::uint32_t weight) {
               edges.push_back({node, neighbor});
               if (header.has_edge_weights) weights.push_back(weight);
             });
  const std::uint64_t entries = edges.size();
  Topology topology = Topology::from_edges(header.nodes, std::move(edges), std::move(weights));
  if (topology.edges() != entries || !topology.is_symmetric() || has_unequal_weights(topology)) {
    fail_at_first_fault(from_the_start, topology);
  }
  if (entries != 2 * header.edges) {
    text.fail(header.edges_position, "the header promises " + std::to_string(header.edges) + " edges; the lines list " +
                                         std::to_string(entries / 2));
  }
  if (header.node_weights > 0) topology.set_node_weights(std::move(node_weights), header.node_weights);
  return topology;
}

}  // namespace laxity::detail
