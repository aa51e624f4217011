// One worker's share of a mesh: its nodes, and how the edges of the graph become slots in memory and channels of links.
//
// Both ends of a link must number its channels alike without talking to each other: edges are ordered by (target id,
// position among the target's inputs), nodes by id. Threads: a share is built and used by its own worker. Elsewhere:
// what lies in the slots (the layers).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "laxity/mesh/partitions/partition.hpp"
#include "laxity/mesh/topology.hpp"

namespace laxity {

/// Rows of consecutive numbers: row i is [begin(i), begin(i + 1)).
struct RowIndex {
  std::vector<std::uint32_t> begins;  ///< rows + 1 entries
  [[nodiscard]] std::uint32_t begin(std::uint32_t row) const noexcept { return begins[row]; }
  [[nodiscard]] std::uint32_t size(std::uint32_t row) const noexcept { return begins[row + 1] - begins[row]; }
  [[nodiscard]] std::uint32_t total() const noexcept { return begins.back(); }
};

/// The nodes of one worker, in ascending order of id; a node's place in that order is its index.
class LocalNodes {
 public:
  /// Throws UsageError if `worker` is not in the partition.
  LocalNodes(const Topology& topology, const Partition& partition, std::uint32_t worker);

  [[nodiscard]] std::uint32_t worker() const noexcept { return worker_; }
  [[nodiscard]] std::span<const std::uint32_t> nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::uint32_t id(std::uint32_t index) const noexcept { return nodes_[index]; }
  [[nodiscard]] const RowIndex& inputs() const noexcept { return inputs_; }    ///< input slots of each node
  [[nodiscard]] const RowIndex& outputs() const noexcept { return outputs_; }  ///< output slots of each node
  /// The number of inputs and of outputs of every node here, if these are all one number; 0 otherwise.
  [[nodiscard]] std::uint32_t uniform_degree() const noexcept { return uniform_degree_; }

 private:
  std::uint32_t worker_;
  std::vector<std::uint32_t> nodes_;
  RowIndex inputs_;
  RowIndex outputs_;
  std::uint32_t uniform_degree_ = 0;
};

/// A channel per edge. An edge inside the worker joins an output slot to an input slot.
struct EdgeRoutes {
  static constexpr std::uint32_t inside = ~std::uint32_t{0};
  struct Target {
    std::uint32_t neighbor;  ///< place in `neighbors`, or inside
    std::uint32_t place;     ///< channel to that neighbor; inside: the input slot
    [[nodiscard]] bool is_inside() const noexcept { return neighbor == inside; }
  };
  struct Neighbor {
    std::uint32_t worker;
    std::uint32_t send = 0;                   ///< channels to it
    std::vector<std::uint32_t> receive = {};  ///< input slot of each channel from it
  };
  std::vector<Target> targets;  ///< of each output slot
  std::vector<Neighbor> neighbors;
};

/// A channel per node that another worker hears. Such nodes of other workers are ghosts here: places after the own
/// nodes.
struct NodeRoutes {
  struct Neighbor {
    std::uint32_t worker;
    std::vector<std::uint32_t> send = {};  ///< node index of each channel to it
    std::uint32_t first_ghost = 0;         ///< the channels from it are the ghosts from here on
    std::uint32_t ghosts = 0;
  };
  std::vector<std::uint32_t>
      source_of_input;  ///< per input slot: index of the node it hears; own nodes first, then ghosts
  std::uint32_t ghosts = 0;
  bool has_inside_edges = false;
  std::vector<Neighbor> neighbors;
};

[[nodiscard]] EdgeRoutes edge_routes(const LocalNodes& local_nodes, const Topology& topology,
                                     const Partition& partition);
[[nodiscard]] NodeRoutes node_routes(const LocalNodes& local_nodes, const Topology& topology,
                                     const Partition& partition);

}  // namespace laxity
