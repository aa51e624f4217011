// Which worker computes which node.
//
// Invariants: every node belongs to exactly one worker; nodes_of() ascends. Only from_file() may leave a worker idle.
// Memory: 12 bytes per node.
// Errors: UsageError if there are more workers than nodes, or none.
// Threads: immutable; any thread may read.
// Elsewhere: what a partition costs (partition_report.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "laxity/mesh/topology.hpp"

namespace laxity {

class Partition {
 public:
  /// `worker_of[node]` is the worker of a node. Throws UsageError if one is >= `workers`.
  Partition(std::uint32_t workers, std::vector<std::uint32_t> worker_of);

  [[nodiscard]] std::uint32_t workers() const noexcept { return static_cast<std::uint32_t>(begins_.size() - 1); }
  [[nodiscard]] std::uint32_t nodes() const noexcept { return static_cast<std::uint32_t>(worker_of_.size()); }

  [[nodiscard]] std::uint32_t worker_of(std::uint32_t node) const noexcept { return worker_of_[node]; }
  /// The nodes of a worker, ascending.
  [[nodiscard]] std::span<const std::uint32_t> nodes_of(std::uint32_t worker) const noexcept {
    return {nodes_.data() + begins_[worker], begins_[worker + 1] - begins_[worker]};
  }
  /// The position of a node among those of its worker: nodes_of(worker_of(n))[position_of(n)] == n.
  [[nodiscard]] std::uint32_t position_of(std::uint32_t node) const noexcept { return positions_[node]; }

 private:
  std::vector<std::uint32_t> worker_of_;
  std::vector<std::uint32_t> positions_;
  std::vector<std::uint32_t> nodes_;   // grouped by worker
  std::vector<std::uint32_t> begins_;  // worker w has nodes_[begins_[w] .. begins_[w + 1])
};

namespace partitions {

/// Boxes of a torus or a grid: each dimension is cut into parts whose lengths differ by at most one, and the numbers of
/// parts multiply to `workers`. Among the ways whose largest box is within 5 % of the smallest possible one, chooses
/// the one that cuts the fewest edges, and among those the one with the fewest parts in all dimensions: equal cubes
/// where the extents allow it. If no product fits the extents (7 workers on 3 x 3), returns contiguous(). Boxes are
/// numbered in row-major order. Throws UsageError if the topology has no extents.
[[nodiscard]] Partition blocks(const Topology& topology, std::uint32_t workers);

/// Runs of consecutive ids whose lengths differ by at most one.
[[nodiscard]] Partition contiguous(const Topology& topology, std::uint32_t workers);

/// Assigns node i to worker i modulo `workers`.
[[nodiscard]] Partition round_robin(const Topology& topology, std::uint32_t workers);

/// Random nodes for each worker, whose numbers differ by at most one; the same for one seed on every machine.
[[nodiscard]] Partition random(const Topology& topology, std::uint32_t workers, std::uint64_t seed);

/// All nodes on one worker.
[[nodiscard]] Partition all_in_one(const Topology& topology);

/// One worker for every node.
[[nodiscard]] Partition one_each(const Topology& topology);

/// Whether this build has METIS.
[[nodiscard]] bool has_metis() noexcept;

/// k-way partition by METIS: fewest cut edges (by weight, if the topology has weights) at equal work. Directed graphs
/// are made symmetric first: edges in the two directions count as one with the sum of their weights; self-loops do not
/// count. Throws UsageError that names the package to install if this build has no METIS. One seed gives one partition
/// on one machine and METIS version. Source: Karypis and Kumar, Multilevel k-way partitioning scheme for irregular
/// graphs, J. Parallel Distrib. Comput. 48 (1998).
[[nodiscard]] Partition metis(const Topology& topology, std::uint32_t workers, std::uint64_t seed = 0);

/// METIS on two levels, since messages between processes cost more than those between threads: first for the processes,
/// then for the threads of each process. Thread t of process p is worker p * threads + t.
[[nodiscard]] Partition metis_two_levels(const Topology& topology, std::uint32_t processes, std::uint32_t threads,
                                         std::uint64_t seed = 0);

/// One worker number per line, line i for node i, as METIS writes `.part.k`. Throws ParseError with line and column for
/// anything but a number below `workers`, and for a missing or superfluous line; SystemError if the file cannot be
/// read.
[[nodiscard]] Partition from_file(const Topology& topology, std::uint32_t workers, const std::string& path);

}  // namespace partitions
}  // namespace laxity
