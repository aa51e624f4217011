// What a partition costs: the edges it cuts, how evenly it shares the work, whom each worker must speak to.
//
// Threads: pure functions. Elsewhere: partitions themselves (partition.hpp).
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
  std::uint64_t cut_edges = 0;  ///< directed edges between workers: a two-way connection counts two
  double balance = 1;           ///< nodes of the largest worker / mean; 1 is even
  std::vector<Worker> workers;
};

/// Linear in edges and workers. The partition must be of this topology.
[[nodiscard]] PartitionReport report_partition(const Topology& topology, const Partition& partition);

/// A summary of a few lines, then a line per worker, for at most `longest` of them.
[[nodiscard]] std::string to_text(const PartitionReport& report, std::size_t longest = 16);

}  // namespace laxity
