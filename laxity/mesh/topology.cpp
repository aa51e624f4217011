// Builds compressed sparse rows from edges: three counting sorts (by target, by source, by target again) order both
// directions in linear time.
#include "laxity/mesh/topology.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "laxity/check.hpp"
#include "laxity/error.hpp"

namespace laxity {
namespace {

void check_edges(std::uint32_t nodes, const std::vector<Edge>& edges, const std::vector<std::uint32_t>& weights) {
  if (edges.size() > Topology::max_edges) {
    throw UsageError("topology: " + std::to_string(edges.size()) + " edges; at most " +
                     std::to_string(Topology::max_edges) + " are supported");
  }
  for (const Edge& edge : edges) {
    if (edge.source < nodes && edge.target < nodes) continue;
    throw UsageError("topology: edge " + std::to_string(edge.source) + " -> " + std::to_string(edge.target) +
                     " names a node outside 0.." + std::to_string(std::int64_t{nodes} - 1));
  }
  if (!weights.empty() && weights.size() != edges.size()) {
    throw UsageError("topology: " + std::to_string(weights.size()) + " weights for " + std::to_string(edges.size()) +
                     " edges; give one per edge or none");
  }
  if (std::find(weights.begin(), weights.end(), 0U) != weights.end()) {
    throw UsageError("topology: an edge has weight 0; weights are at least 1");
  }
}

// offsets[i + 1] counts row i on entry; on return offsets[i] is where row i begins.
void counts_to_offsets(std::vector<std::uint32_t>& offsets) {
  for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
}

// Rows under construction: weights are empty or parallel to neighbors.
struct Table {
  std::vector<std::uint32_t> offsets;
  std::vector<std::uint32_t> neighbors;
  std::vector<std::uint32_t> weights;
};

// Row t lists the sources of the edges into t, in the order of the edges.
Table sources_by_target(std::uint32_t nodes, const std::vector<Edge>& edges,
                        const std::vector<std::uint32_t>& weights) {
  Table table{std::vector<std::uint32_t>(std::size_t{nodes} + 1), std::vector<std::uint32_t>(edges.size()),
              std::vector<std::uint32_t>(weights.size())};
  for (const Edge& edge : edges) ++table.offsets[std::size_t{edge.target} + 1];
  counts_to_offsets(table.offsets);
  std::vector<std::uint32_t> next(table.offsets.begin(), table.offsets.end() - 1);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const std::uint32_t place = next[edges[i].target]++;
    table.neighbors[place] = edges[i].source;
    if (!weights.empty()) table.weights[place] = weights[i];
  }
  return table;
}

// The transposed rows. They ascend because the rows of `from` are visited in ascending order.
Table transposed(const Table& from) {
  const auto nodes = static_cast<std::uint32_t>(from.offsets.size() - 1);
  Table to{std::vector<std::uint32_t>(from.offsets.size()), std::vector<std::uint32_t>(from.neighbors.size()),
           std::vector<std::uint32_t>(from.weights.size())};
  for (const std::uint32_t neighbor : from.neighbors) ++to.offsets[std::size_t{neighbor} + 1];
  counts_to_offsets(to.offsets);
  std::vector<std::uint32_t> next(to.offsets.begin(), to.offsets.end() - 1);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    for (std::uint32_t i = from.offsets[node]; i < from.offsets[node + 1]; ++i) {
      const std::uint32_t place = next[from.neighbors[i]]++;
      to.neighbors[place] = node;
      if (!from.weights.empty()) to.weights[place] = from.weights[i];
    }
  }
  return to;
}

// Merges equal neighbors of ascending rows and keeps the largest weight.
void merge_repeated(Table& table) {
  std::uint32_t kept = 0;
  for (std::size_t node = 0; node + 1 < table.offsets.size(); ++node) {
    const std::uint32_t begin = std::exchange(table.offsets[node], kept);
    const std::uint32_t end = table.offsets[node + 1];
    for (std::uint32_t i = begin; i < end; ++i) {
      if (kept > table.offsets[node] && table.neighbors[kept - 1] == table.neighbors[i]) {
        if (!table.weights.empty()) table.weights[kept - 1] = std::max(table.weights[kept - 1], table.weights[i]);
        continue;
      }
      table.neighbors[kept] = table.neighbors[i];
      if (!table.weights.empty()) table.weights[kept] = table.weights[i];
      ++kept;
    }
  }
  table.offsets.back() = kept;
  table.neighbors.resize(kept);
  if (!table.weights.empty()) table.weights.resize(kept);
}

// The index of `wanted` in an ascending run, or nothing.
std::optional<std::uint32_t> find_ascending(std::span<const std::uint32_t> run, std::uint32_t wanted) noexcept {
  const auto found = std::lower_bound(run.begin(), run.end(), wanted);
  if (found == run.end() || *found != wanted) return std::nullopt;
  return static_cast<std::uint32_t>(found - run.begin());
}

// Moves the entries of an ascending row that the ascending row `other` also has to the front; both parts stay
// ascending. `weights` is empty or parallel to `row`. Returns the number of shared entries.
std::uint32_t put_shared_first(std::span<std::uint32_t> row, std::span<std::uint32_t> weights,
                               std::span<const std::uint32_t> other,
                               std::vector<std::pair<std::uint32_t, std::uint32_t>>& rest) {
  rest.clear();
  std::size_t kept = 0;
  auto seen = other.begin();
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::uint32_t weight = weights.empty() ? 0 : weights[i];
    while (seen != other.end() && *seen < row[i]) ++seen;
    if (seen == other.end() || *seen != row[i]) {
      rest.emplace_back(row[i], weight);
      continue;
    }
    row[kept] = row[i];
    if (!weights.empty()) weights[kept] = weight;
    ++kept;
  }
  const auto shared = static_cast<std::uint32_t>(kept);
  for (const auto& [neighbor, weight] : rest) {
    row[kept] = neighbor;
    if (!weights.empty()) weights[kept] = weight;
    ++kept;
  }
  return shared;
}

}  // namespace

Topology Topology::from_edges(std::uint32_t nodes, std::vector<Edge> edges, std::vector<std::uint32_t> weights) {
  check_edges(nodes, edges, weights);
  Table by_target = sources_by_target(nodes, edges, weights);
  // Freed at once: the edge list is the largest allocation here.
  std::vector<Edge>().swap(edges);
  std::vector<std::uint32_t>().swap(weights);
  Table outputs = transposed(by_target);
  merge_repeated(outputs);
  Table inputs = transposed(outputs);

  Topology topology;
  topology.nodes_ = nodes;
  topology.symmetric_ = inputs.offsets == outputs.offsets && inputs.neighbors == outputs.neighbors;
  topology.outputs_ = {std::move(outputs.offsets), std::move(outputs.neighbors), 0};
  topology.output_weights_ = std::move(outputs.weights);
  if (!topology.symmetric_) {
    topology.inputs_ = {std::move(inputs.offsets), std::move(inputs.neighbors), 0};
    topology.put_reciprocal_first();
    drop_offsets_of_equal_rows(topology.inputs_);
  }
  drop_offsets_of_equal_rows(topology.outputs_);
  return topology;
}

Topology Topology::from_lattice(Lattice lattice, std::vector<std::uint32_t> offsets,
                                std::vector<std::uint32_t> neighbors) {
  Topology topology;
  std::uint64_t nodes = 1;
  for (const std::uint32_t extent : lattice.extents) nodes *= extent;
  LAXITY_CHECK(nodes <= max_nodes && neighbors.size() <= max_edges);
  LAXITY_CHECK(offsets.empty() ? nodes > 0 && neighbors.size() % nodes == 0 : offsets.size() == nodes + 1);
  topology.nodes_ = static_cast<std::uint32_t>(nodes);
  topology.lattice_ = std::move(lattice);
  const auto degree = offsets.empty() ? static_cast<std::uint32_t>(neighbors.size() / nodes) : 0;
  topology.outputs_ = {std::move(offsets), std::move(neighbors), degree};
  return topology;
}

void Topology::drop_offsets_of_equal_rows(Rows& rows) {
  if (rows.offsets.size() < 2) return;
  const std::uint32_t degree = rows.offsets[1];
  for (std::size_t i = 1; i < rows.offsets.size(); ++i) {
    if (rows.offsets[i] - rows.offsets[i - 1] != degree) return;
  }
  rows.degree = degree;
  std::vector<std::uint32_t>().swap(rows.offsets);
}

// Both directions ascend on entry.
void Topology::put_reciprocal_first() {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> rest;
  std::vector<std::uint32_t> ascending_outputs;
  reciprocal_degrees_.resize(nodes_);
  for (std::uint32_t node = 0; node < nodes_; ++node) {
    const std::span outputs(outputs_.neighbors.data() + outputs_.offsets[node], outputs_.row(node).size());
    const std::span inputs(inputs_.neighbors.data() + inputs_.offsets[node], inputs_.row(node).size());
    std::span<std::uint32_t> weights;
    if (has_edge_weights()) weights = {output_weights_.data() + outputs_.offsets[node], outputs.size()};
    ascending_outputs.assign(outputs.begin(), outputs.end());
    reciprocal_degrees_[node] = put_shared_first(outputs, weights, inputs, rest);
    put_shared_first(inputs, {}, ascending_outputs, rest);
  }
}

std::optional<std::uint32_t> Topology::input_index(std::uint32_t target, std::uint32_t source) const noexcept {
  const auto sources = inputs(target);
  if (!lattice_.extents.empty()) {
    const auto found = std::find(sources.begin(), sources.end(), source);
    if (found == sources.end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - sources.begin());
  }
  const std::uint32_t reciprocal = reciprocal_degree(target);
  if (const auto index = find_ascending(sources.first(reciprocal), source)) return index;
  if (const auto index = find_ascending(sources.subspan(reciprocal), source)) return reciprocal + *index;
  return std::nullopt;
}

std::optional<std::uint32_t> Topology::uniform_degree() const noexcept {
  if (nodes_ == 0 || !outputs_.offsets.empty()) return std::nullopt;
  if (!symmetric_ && (!inputs_.offsets.empty() || inputs_.degree != outputs_.degree)) return std::nullopt;
  return outputs_.degree;
}

void Topology::set_node_weights(std::vector<std::uint32_t> weights, std::uint32_t per_node) {
  if (weights.size() != std::size_t{nodes_} * per_node) {
    throw UsageError("topology: " + std::to_string(weights.size()) + " weights for " + std::to_string(nodes_) +
                     " nodes with " + std::to_string(per_node) + " weights each");
  }
  node_weights_ = std::move(weights);
  weights_per_node_ = per_node;
}

std::span<const std::uint32_t> Topology::output_weights(std::uint32_t node) const noexcept {
  if (output_weights_.empty()) return {};
  return {output_weights_.data() + outputs_.begin(node), outputs_.row(node).size()};
}

}  // namespace laxity
