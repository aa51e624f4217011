// Node labels of adjacency and edge lists, made into ids 0 .. n-1.
//
// Whole numbers keep their order; names are numbered as they appear. Which of the two a file has is known only at its
// end, so a reader begins with numbers and starts again with names at the first label that is none.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "laxity/mesh/topology.hpp"

namespace laxity::detail {

enum class LabelKind { numbers, names };

class LabeledGraph {
 public:
  explicit LabeledGraph(LabelKind kind) noexcept : kind_(kind) {}

  /// The number of a label for add_edge and add_node; nothing if numbers are wanted and this is none below 2^32 - 1.
  [[nodiscard]] std::optional<std::uint32_t> number_of(std::string_view label);

  void add_edge(std::uint32_t source, std::uint32_t target, bool directed) {
    edges_.push_back({source, target});
    if (!directed) edges_.push_back({target, source});
  }
  /// The weight of the edge added last; edges without one weigh 1.
  void set_weight(std::uint32_t weight);
  /// A node that may have no edge.
  void add_node(std::uint32_t number) { lone_.push_back(number); }

  /// The graph, its nodes numbered 0 .. n-1. Uses up the edges.
  [[nodiscard]] Topology finish(bool directed);

 private:
  void close_gaps();

  LabelKind kind_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> weights_;  // may be shorter than edges_: the rest weigh 1
  std::vector<std::uint32_t> lone_;
  std::uint32_t nodes_ = 0;
  std::unordered_map<std::string_view, std::uint32_t> names_;
};

}  // namespace laxity::detail
