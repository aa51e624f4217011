// The shape of a mesh: which node sends to which. A simple directed graph, stored as compressed rows both ways.
//
// Invariants:
//  - Node ids are 0 .. nodes()-1. An edge is there once or not at all: repeated edges are merged. A self-loop is an
//    edge like any other; no generator makes one except topologies::loop.
//  - inputs() and outputs() of a node zip: the neighbors it both hears and speaks to come first and in the same order
//    in both, then the one-way ones. So inputs(n)[k] == outputs(n)[k] for all k < reciprocal_degree(n).
//  - On a torus and a grid the order is by direction: dimension 0 minus, dimension 0 plus, dimension 1 minus, ...; so
//    on a torus input k comes from the same direction at every node. On all other graphs the order is by ascending id
//    (among the two-way neighbors and among the one-way ones).
//  - A symmetric graph keeps one copy of its rows; rows of equal length keep no offsets: a 10^6-node torus takes 16 MB.
//
// Threads: immutable once made; any number may read.
// Elsewhere: generators (generators.hpp), files (graph_file.hpp), the share of every worker (partition.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace laxity {

/// One direction of communication.
struct Edge {
  std::uint32_t source;
  std::uint32_t target;
  bool operator==(const Edge&) const = default;
};

/// The box a torus or a grid was made from. Node ids run row by row: the last dimension is the fastest.
struct Lattice {
  std::vector<std::uint32_t> extents;  ///< nodes along each dimension
  bool wraps = false;                  ///< true: a torus, false: a grid
};

class Topology {
 public:
  static constexpr std::uint64_t max_nodes = (std::uint64_t{1} << 32) - 1;
  static constexpr std::uint64_t max_edges = (std::uint64_t{1} << 32) - 1;

  /// No nodes, no edges.
  Topology() = default;

  /// Any graph. `weights` is empty or has one weight (>= 1) for each edge; of a repeated edge the largest counts.
  /// Throws UsageError if an edge names a node >= `nodes`, if there are more than max_edges, if a weight is 0, or if
  /// there are neither none nor edges.size() weights. Linear time; 8 bytes of working memory per edge beyond the
  /// result.
  [[nodiscard]] static Topology from_edges(std::uint32_t nodes, std::vector<Edge> edges,
                                           std::vector<std::uint32_t> weights = {});

  /// A lattice whose neighbor rows are known already, in direction order: row n is neighbors[offsets[n] ..
  /// offsets[n+1]); or neighbors[n * d .. (n+1) * d) with d = neighbors.size() / nodes if `offsets` is empty. Must be
  /// symmetric.
  [[nodiscard]] static Topology from_lattice(Lattice lattice, std::vector<std::uint32_t> offsets,
                                             std::vector<std::uint32_t> neighbors);

  [[nodiscard]] std::uint32_t nodes() const noexcept { return nodes_; }
  /// Directed edges: a two-way connection counts two, a self-loop one.
  [[nodiscard]] std::uint64_t edges() const noexcept { return outputs_.neighbors.size(); }

  /// The nodes this node hears from, in the order told above.
  [[nodiscard]] std::span<const std::uint32_t> inputs(std::uint32_t node) const noexcept {
    return symmetric_ ? outputs_.row(node) : inputs_.row(node);
  }
  /// The nodes this node sends to, in the order told above.
  [[nodiscard]] std::span<const std::uint32_t> outputs(std::uint32_t node) const noexcept { return outputs_.row(node); }

  /// How many leading entries of inputs(node) and outputs(node) are the same neighbors.
  [[nodiscard]] std::uint32_t reciprocal_degree(std::uint32_t node) const noexcept {
    return symmetric_ ? static_cast<std::uint32_t>(outputs_.row(node).size()) : reciprocal_degrees_[node];
  }

  /// The k for which inputs(target)[k] == source, or nothing if there is no such edge. Logarithmic in the degree;
  /// linear on lattices, whose degree is small.
  [[nodiscard]] std::optional<std::uint32_t> input_index(std::uint32_t target, std::uint32_t source) const noexcept;

  /// The number of inputs and of outputs of every node, if these are all one number; nothing for a graph without nodes.
  [[nodiscard]] std::optional<std::uint32_t> uniform_degree() const noexcept;

  /// Every edge has its opposite.
  [[nodiscard]] bool is_symmetric() const noexcept { return symmetric_; }

  /// The box, if this is a torus or a grid; otherwise without extents.
  [[nodiscard]] const Lattice& lattice() const noexcept { return lattice_; }
  [[nodiscard]] const std::vector<std::uint32_t>& extents() const noexcept { return lattice_.extents; }

  /// Weights for partitioning (work per node): nodes() rows of weights_per_node() numbers; empty: all nodes weigh the
  /// same.
  [[nodiscard]] std::span<const std::uint32_t> node_weights() const noexcept { return node_weights_; }
  [[nodiscard]] std::uint32_t weights_per_node() const noexcept { return weights_per_node_; }
  /// Throws UsageError unless weights.size() is nodes() * per_node.
  void set_node_weights(std::vector<std::uint32_t> weights, std::uint32_t per_node = 1);

  /// Weights for partitioning (traffic per edge), parallel to outputs(node); empty: all edges weigh 1.
  [[nodiscard]] std::span<const std::uint32_t> output_weights(std::uint32_t node) const noexcept;
  [[nodiscard]] bool has_edge_weights() const noexcept { return !output_weights_.empty(); }

 private:
  // Compressed rows. Without offsets all rows are `degree` long.
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
