// The nodes of one worker, and how the edges of the graph map to slots in memory and channels of links.
//
// Both ends of a link must number its channels alike without communicating: edges are ordered by (target id, position
// among the target's inputs), nodes by id.
// Threads: built and used by one worker.
// Elsewhere: the values in the slots (layers/).
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

/// The nodes of one worker in ascending order of id. The position in that order is the index of a node.
class LocalNodes {
 public:
  /// Throws UsageError if `worker` is not in the partition.
  LocalNodes(const Topology& topology, const Partition& partition, std::uint32_t worker);

  [[nodiscard]] std::uint32_t worker() const noexcept { return worker_; }
  [[nodiscard]] std::span<const std::uint32_t> nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::uint32_t id(std::uint32_t index) const noexcept { return nodes_[index]; }
  [[nodiscard]] const RowIndex& inputs() const noexcept { return inputs_; }    ///< input slots of each node
  [[nodiscard]] const RowIndex& outputs() const noexcept { return outputs_; }  ///< output slots of each node
  /// The number of inputs and outputs of every node, if it is the same for all; 0 otherwise.
  [[nodiscard]] std::uint32_t uniform_degree() const noexcept { return uniform_degree_; }

 private:
  std::uint32_t worker_;
  std::vector<std::uint32_t> nodes_;
  RowIndex inputs_;
  RowIndex outputs_;
  std::uint32_t uniform_degree_ = 0;
};

/// Routes with a channel per edge. An edge inside the worker connects an output slot to an input slot.
struct EdgeRoutes {
  static constexpr std::uint32_t inside = ~std::uint32_t{0};
  struct Target {
    std::uint32_t neighbor;  ///< index in `neighbors`, or `inside`
    std::uint32_t place;     ///< channel to that neighbor; if inside, the input slot
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

/// Routes with a channel per node that a neighboring worker reads. Nodes of other workers that this worker reads are
/// its ghosts, numbered after its own nodes.
struct NodeRoutes {
  struct Neighbor {
    std::uint32_t worker;
    std::vector<std::uint32_t> send = {};  ///< node index of each channel to it
    std::uint32_t first_ghost = 0;         ///< ghost of its first channel; the others follow
    std::uint32_t ghosts = 0;
  };
  std::vector<std::uint32_t> source_of_input;  ///< per input slot: index of the node it reads, own nodes before ghosts
  std::uint32_t ghosts = 0;
  bool has_inside_edges = false;
  std::vector<Neighbor> neighbors;
};

[[nodiscard]] EdgeRoutes edge_routes(const LocalNodes& local_nodes, const Topology& topology,
                                     const Partition& partition);
[[nodiscard]] NodeRoutes node_routes(const LocalNodes& local_nodes, const Topology& topology,
                                     const Partition& partition);

}  // namespace laxity
