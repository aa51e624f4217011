// Node labels of adjacency and edge lists, mapped to ids 0 .. n-1.
//
// Whole numbers keep their order; names are numbered in order of appearance. Which kind a file has is known only at its
// end, so a reader assumes numbers and starts again with names at the first label that is not a number.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "laxity/mesh/topology.hpp"
#include "laxity/text_scanner.hpp"

namespace laxity::detail {

enum class LabelKind { numbers, names };

class LabeledGraph {
 public:
  explicit LabeledGraph(LabelKind kind) noexcept : kind_(kind) {}

  /// The number of a label for add_edge() and add_node(). Nothing if the labels are numbers and this is none below 2^32
  /// - 1.
  [[nodiscard]] std::optional<std::uint32_t> number_of(std::string_view label);

  void add_edge(std::uint32_t source, std::uint32_t target, bool directed) {
    edges_.push_back({source, target});
    if (!directed) edges_.push_back({target, source});
  }
  /// Sets the weight of the edge added last; the default is 1.
  void set_weight(std::uint32_t weight);
  /// Adds a node that may have no edge.
  void add_node(std::uint32_t number) { lone_.push_back(number); }

  /// The graph, with nodes numbered 0 .. n-1. Consumes the edges.
  [[nodiscard]] Topology finish(bool directed);

 private:
  void close_gaps();

  LabelKind kind_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> weights_;  // may be shorter than edges_: the others are 1
  std::vector<std::uint32_t> lone_;
  std::uint32_t nodes_ = 0;
  std::unordered_map<std::string_view, std::uint32_t> names_;
};

/// The graph of a text: read_lines(text, directed, graph) adds its edges and returns false at the first label that is
/// not of the graph's kind.
template <class ReadLines>
[[nodiscard]] Topology read_labeled_graph(const TextScanner& text, bool directed, ReadLines&& read_lines) {
  LabeledGraph numbered(LabelKind::numbers);
  if (read_lines(text, directed, numbered)) return numbered.finish(directed);
  LabeledGraph named(LabelKind::names);
  static_cast<void>(read_lines(text, directed, named));  // any label is a name
  return named.finish(directed);
}

}  // namespace laxity::detail
