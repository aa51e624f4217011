// The partitions that ignore the edges.
#include "laxity/mesh/partitions/partition.hpp"

#include <cstddef>
#include <numeric>
#include <utility>

#include "laxity/error.hpp"
#include "laxity/mesh/partitions/detail/check_workers.hpp"
#include "laxity/random.hpp"

namespace laxity {

namespace detail {

void check_workers(const char* partition, std::uint32_t nodes, std::uint32_t workers) {
  if (workers == 0) throw UsageError(std::string(partition) + ": 0 workers; give at least 1");
  if (workers <= nodes) return;
  throw UsageError(std::string(partition) + ": " + std::to_string(workers) + " workers for " + std::to_string(nodes) +
                   " nodes; give at most one worker per node");
}

}  // namespace detail

Partition::Partition(std::uint32_t workers, std::vector<std::uint32_t> worker_of)
    : worker_of_(std::move(worker_of)),
      positions_(worker_of_.size()),
      nodes_(worker_of_.size()),
      begins_(std::size_t{workers} + 1) {
  for (const std::uint32_t worker : worker_of_) {
    if (worker >= workers) {
      throw UsageError("partition: worker " + std::to_string(worker) + " is outside 0.." +
                       std::to_string(std::int64_t{workers} - 1));
    }
    ++begins_[std::size_t{worker} + 1];
  }
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
  for (std::uint32_t node = 0; node < nodes(); ++node) {
    const std::uint32_t worker = worker_of_[node];
    positions_[node] = next[worker] - begins_[worker];
    nodes_[next[worker]++] = node;
  }
}

namespace partitions {

Partition contiguous(const Topology& topology, std::uint32_t workers) {
  detail::check_workers("contiguous", topology.nodes(), workers);
  std::vector<std::uint32_t> worker_of(topology.nodes());
  for (std::uint64_t worker = 0; worker < workers; ++worker) {
    const std::uint64_t begin = topology.nodes() * worker / workers;
    const std::uint64_t end = topology.nodes() * (worker + 1) / workers;
    for (std::uint64_t node = begin; node < end; ++node) worker_of[node] = static_cast<std::uint32_t>(worker);
  }
  return {workers, std::move(worker_of)};
}

Partition round_robin(const Topology& topology, std::uint32_t workers) {
  detail::check_workers("round_robin", topology.nodes(), workers);
  std::vector<std::uint32_t> worker_of(topology.nodes());
  for (std::uint32_t node = 0; node < topology.nodes(); ++node) worker_of[node] = node % workers;
  return {workers, std::move(worker_of)};
}

Partition random(const Topology& topology, std::uint32_t workers, std::uint64_t seed) {
  detail::check_workers("random", topology.nodes(), workers);
  std::vector<std::uint32_t> worker_of(topology.nodes());
  for (std::uint32_t node = 0; node < topology.nodes(); ++node) worker_of[node] = node % workers;
  // Fisher-Yates; the result of std::shuffle differs between standard libraries.
  SeededRandom draw(seed);
  for (std::uint32_t left = topology.nodes(); left > 1; --left)
    std::swap(worker_of[left - 1], worker_of[draw.below(left)]);
  return {workers, std::move(worker_of)};
}

Partition all_in_one(const Topology& topology) { return {1, std::vector<std::uint32_t>(topology.nodes())}; }

Partition one_each(const Topology& topology) {
  detail::check_workers("one_each", topology.nodes(), topology.nodes());
  std::vector<std::uint32_t> worker_of(topology.nodes());
  std::iota(worker_of.begin(), worker_of.end(), 0U);
  return {topology.nodes(), std::move(worker_of)};
}

}  // namespace partitions
}  // namespace laxity
