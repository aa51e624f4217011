#include "laxity/mesh/graph_formats/detail/labels.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace laxity::detail {

std::optional<std::uint32_t> LabeledGraph::number_of(std::string_view label) {
  if (kind_ == LabelKind::names) {
    return names_.try_emplace(label, static_cast<std::uint32_t>(names_.size())).first->second;
  }
  std::uint64_t number = 0;
  for (const char c : label) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + static_cast<std::uint64_t>(c - '0');
    if (number >= Topology::max_nodes) return std::nullopt;
  }
  return static_cast<std::uint32_t>(number);
}

void LabeledGraph::set_weight(std::uint32_t weight) {
  weights_.resize(edges_.size(), 1);
  weights_.back() = weight;
}

// Replaces every number by its rank among the numbers that appear.
void LabeledGraph::close_gaps() {
  std::uint32_t largest = 0;
  for (const Edge& edge : edges_) largest = std::max({largest, edge.source, edge.target});
  for (const std::uint32_t number : lone_) largest = std::max(largest, number);
  const std::size_t mentions = 2 * edges_.size() + lone_.size();
  if (mentions == 0) return;
  if (largest / 4 <= mentions) {
    // Dense enough for a table, which is then no larger than the edges.
    std::vector<std::uint32_t> rank(std::size_t{largest} + 1);
    for (const Edge& edge : edges_) rank[edge.source] = rank[edge.target] = 1;
    for (const std::uint32_t number : lone_) rank[number] = 1;
    for (std::uint32_t& entry : rank) entry = entry == 1 ? nodes_++ : 0;
    if (nodes_ == rank.size()) return;  // no gaps
    for (Edge& edge : edges_) edge = {rank[edge.source], rank[edge.target]};
    return;
  }
  std::vector<std::uint32_t> present(lone_);
  present.reserve(mentions);
  for (const Edge& edge : edges_) present.insert(present.end(), {edge.source, edge.target});
  std::sort(present.begin(), present.end());
  present.erase(std::unique(present.begin(), present.end()), present.end());
  nodes_ = static_cast<std::uint32_t>(present.size());
  const auto rank_of = [&](std::uint32_t number) {
    return static_cast<std::uint32_t>(std::lower_bound(present.begin(), present.end(), number) - present.begin());
  };
  for (Edge& edge : edges_) edge = {rank_of(edge.source), rank_of(edge.target)};
}

Topology LabeledGraph::finish(bool directed) {
  if (kind_ == LabelKind::numbers) {
    close_gaps();
  } else {
    nodes_ = static_cast<std::uint32_t>(names_.size());
  }
  if (!weights_.empty()) {
    weights_.resize(edges_.size(), 1);
    // set_weight reached only the second of the two directions.
    for (std::size_t i = 1; !directed && i < weights_.size(); i += 2) weights_[i - 1] = weights_[i];
  }
  return Topology::from_edges(nodes_, std::move(edges_), std::move(weights_));
}

}  // namespace laxity::detail
