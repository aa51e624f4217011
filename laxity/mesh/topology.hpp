// The graph of a mesh: which node sends to which. A simple directed graph in compressed sparse rows, in both
// directions.
//
// Invariants:
//  - Node ids are 0 .. nodes()-1. Repeated edges are merged. A self-loop is an edge like any other; topologies::loop is
//    the only generator that makes any.
//  - inputs() and outputs() of a node begin with its reciprocal neighbors, in the same order, followed by the one-way
//    ones. So inputs(n)[k] == outputs(n)[k] for all k < reciprocal_degree(n).
//  - On a torus and a grid the order is by direction: dimension 0 minus, dimension 0 plus, dimension 1 minus, ...; so
//    on a torus input k comes from the same direction at every node. On all other graphs the order is by ascending id
//    (among the reciprocal neighbors and among the one-way ones).
//  - A symmetric graph stores its rows once; rows of equal length need no offsets: a torus of 10^6 nodes takes 16 MB.
//
// Threads: immutable; any thread may read.
// Elsewhere: generators (topologies/generators.hpp), files (graph_formats/graph_file.hpp), the nodes of every worker
//   (partitions/partition.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace laxity {

/// A directed edge: `source` sends to `target`.
struct Edge {
  std::uint32_t source;
  std::uint32_t target;
  bool operator==(const Edge&) const = default;
};

/// The extents of a torus or a grid. Node ids are in row-major order: the last dimension varies fastest.
struct Lattice {
  std::vector<std::uint32_t> extents;  ///< nodes along each dimension
  bool wraps = false;                  ///< true: a torus, false: a grid
};

class Topology {
 public:
  static constexpr std::uint64_t max_nodes = (std::uint64_t{1} << 32) - 1;
  static constexpr std::uint64_t max_edges = (std::uint64_t{1} << 32) - 1;

  /// The empty graph.
  Topology() = default;

  /// Any graph. `weights` is empty or has one weight (>= 1) for each edge; a repeated edge gets its largest weight.
  /// Throws UsageError if an edge names a node >= `nodes`, if there are more than max_edges edges, if a weight is 0, or
  /// if the number of weights is neither 0 nor edges.size(). Linear time; 8 bytes of working memory per edge beyond the
  /// result.
  [[nodiscard]] static Topology from_edges(std::uint32_t nodes, std::vector<Edge> edges,
                                           std::vector<std::uint32_t> weights = {});

  /// A lattice with given rows of neighbors in direction order, which must be symmetric: row n begins at
  /// neighbors[offsets[n]] and ends before neighbors[offsets[n + 1]]. If `offsets` is empty, every row has
  /// neighbors.size() / nodes entries.
  [[nodiscard]] static Topology from_lattice(Lattice lattice, std::vector<std::uint32_t> offsets,
                                             std::vector<std::uint32_t> neighbors);

  [[nodiscard]] std::uint32_t nodes() const noexcept { return nodes_; }
  /// Directed edges: a reciprocal connection counts two, a self-loop one.
  [[nodiscard]] std::uint64_t edges() const noexcept { return outputs_.neighbors.size(); }

  /// The nodes that send to this node, in the order defined above.
  [[nodiscard]] std::span<const std::uint32_t> inputs(std::uint32_t node) const noexcept {
    return symmetric_ ? outputs_.row(node) : inputs_.row(node);
  }
  /// The nodes that this node sends to, in the order defined above.
  [[nodiscard]] std::span<const std::uint32_t> outputs(std::uint32_t node) const noexcept { return outputs_.row(node); }

  /// The number of reciprocal neighbors: leading entries that inputs(node) and outputs(node) have in common.
  [[nodiscard]] std::uint32_t reciprocal_degree(std::uint32_t node) const noexcept {
    return symmetric_ ? static_cast<std::uint32_t>(outputs_.row(node).size()) : reciprocal_degrees_[node];
  }

  /// The k for which inputs(target)[k] == source, or nothing if there is no such edge. Logarithmic in the degree;
  /// linear on lattices, whose degree is small.
  [[nodiscard]] std::optional<std::uint32_t> input_index(std::uint32_t target, std::uint32_t source) const noexcept;

  /// The number of inputs and outputs of every node, if it is the same for all; nothing for a graph without nodes.
  [[nodiscard]] std::optional<std::uint32_t> uniform_degree() const noexcept;

  /// Whether every edge has its opposite.
  [[nodiscard]] bool is_symmetric() const noexcept { return symmetric_; }

  /// The lattice of a torus or a grid; without extents for all other graphs.
  [[nodiscard]] const Lattice& lattice() const noexcept { return lattice_; }
  [[nodiscard]] const std::vector<std::uint32_t>& extents() const noexcept { return lattice_.extents; }

  /// Weights for partitioning (work per node): nodes() rows of weights_per_node() numbers; empty: equal weights.
  [[nodiscard]] std::span<const std::uint32_t> node_weights() const noexcept { return node_weights_; }
  [[nodiscard]] std::uint32_t weights_per_node() const noexcept { return weights_per_node_; }
  /// Throws UsageError unless weights.size() is nodes() * per_node.
  void set_node_weights(std::vector<std::uint32_t> weights, std::uint32_t per_node = 1);

  /// Weights for partitioning (traffic per edge), parallel to outputs(node); empty: all weights are 1.
  [[nodiscard]] std::span<const std::uint32_t> output_weights(std::uint32_t node) const noexcept;
  [[nodiscard]] bool has_edge_weights() const noexcept { return !output_weights_.empty(); }

 private:
  // Compressed sparse rows. Without offsets all rows have `degree` entries.
  struct Rows {
    [[nodiscard]] std::span<const std::uint32_t> row(std::uint32_t node) const noexcept {
      if (offsets.empty()) return {neighbors.data() + std::size_t{node} * degree, degree};
      return {neighbors.data() + offsets[node], offsets[node + 1] - offsets[node]};
    }
    [[nodiscard]] std::size_t begin(std::uint32_t node) const noexcept {
      return offsets.empty() ? std::size_t{node} * degree : offsets[node];
    }
    std::vector<std::uint32_t> offsets;
    std::vector<std::uint32_t> neighbors;
    std::uint32_t degree = 0;
  };

  static void drop_offsets_of_equal_rows(Rows& rows);
  void put_reciprocal_first();

  std::uint32_t nodes_ = 0;
  bool symmetric_ = true;
  Rows outputs_;
  Rows inputs_;                                    // empty if symmetric_
  std::vector<std::uint32_t> reciprocal_degrees_;  // empty if symmetric_
  Lattice lattice_;
  std::vector<std::uint32_t> output_weights_;  // parallel to outputs_.neighbors, or empty
  std::vector<std::uint32_t> node_weights_;
  std::uint32_t weights_per_node_ = 0;
};

}  // namespace laxity
