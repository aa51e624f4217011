// The cost of a partition: the edges it cuts, its balance, and the neighbors of each worker.
//
// Threads: pure functions.
// Elsewhere: partitions (partition.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "laxity/mesh/partitions/partition.hpp"
#include "laxity/mesh/topology.hpp"

namespace laxity {

struct PartitionReport {
  struct Worker {
    std::uint32_t nodes = 0;
    std::uint32_t neighbors = 0;    ///< other workers it has an edge to or from
    std::uint64_t cut_inputs = 0;   ///< edges from other workers' nodes
    std::uint64_t cut_outputs = 0;  ///< edges to other workers' nodes
  };
  std::uint64_t edges = 0;      ///< directed edges of the graph
  std::uint64_t cut_edges = 0;  ///< directed edges between workers: a reciprocal connection counts two
  double balance = 1;           ///< nodes of the largest worker / mean; 1 is even
  std::vector<Worker> workers;
};

/// Linear in edges and workers. The partition must be of this topology.
[[nodiscard]] PartitionReport report_partition(const Topology& topology, const Partition& partition);

/// A summary, then one line per worker for at most `max_workers` workers.
[[nodiscard]] std::string to_text(const PartitionReport& report, std::size_t max_workers = 16);

}  // namespace laxity
