#include "laxity/mesh/local_nodes.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "laxity/check.hpp"
#include "laxity/error.hpp"

namespace laxity {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

RowIndex rows(std::span<const std::uint32_t> nodes, auto&& degree_of) {
  RowIndex index;
  index.begins.reserve(nodes.size() + 1);
  std::uint64_t total = 0;
  for (const std::uint32_t node : nodes) {
    index.begins.push_back(static_cast<std::uint32_t>(total));
    total += degree_of(node);
  }
  LAXITY_CHECK(total < none);
  index.begins.push_back(static_cast<std::uint32_t>(total));
  return index;
}

// A list of neighbors by worker, each added at its first use.
template <class Neighbor>
class NeighborList {
 public:
  NeighborList(std::vector<Neighbor>& list, std::uint32_t workers) : list_(list), place_(workers, none) {}
  [[nodiscard]] std::uint32_t place(std::uint32_t worker) {
    if (place_[worker] == none) {
      place_[worker] = static_cast<std::uint32_t>(list_.size());
      list_.push_back({worker});
    }
    return place_[worker];
  }
  [[nodiscard]] Neighbor& of(std::uint32_t worker) { return list_[place(worker)]; }

 private:
  std::vector<Neighbor>& list_;
  std::vector<std::uint32_t> place_;
};

}  // namespace

LocalNodes::LocalNodes(const Topology& topology, const Partition& partition, std::uint32_t worker) : worker_(worker) {
  if (worker >= partition.workers())
    throw UsageError("worker " + std::to_string(worker) + ": the partition has only " +
                     std::to_string(partition.workers()) + " workers; make one for all workers of the team");
  const auto nodes = partition.nodes_of(worker);
  nodes_.assign(nodes.begin(), nodes.end());
  LAXITY_CHECK(std::ranges::is_sorted(nodes_));
  inputs_ = rows(nodes_, [&](std::uint32_t node) { return topology.inputs(node).size(); });
  outputs_ = rows(nodes_, [&](std::uint32_t node) { return topology.outputs(node).size(); });
  if (nodes_.empty()) return;
  const std::uint32_t degree = inputs_.size(0);
  const auto count = static_cast<std::uint32_t>(nodes_.size());
  for (std::uint32_t i = 0; i < count; ++i)
    if (inputs_.size(i) != degree || outputs_.size(i) != degree) return;
  uniform_degree_ = degree;
}

EdgeRoutes edge_routes(const LocalNodes& local_nodes, const Topology& topology, const Partition& partition) {
  struct Outgoing {
    std::uint32_t target, position, slot;
  };
  const std::uint32_t me = local_nodes.worker();
  const auto nodes = local_nodes.nodes();
  EdgeRoutes routes;
  routes.targets.resize(local_nodes.outputs().total());
  NeighborList neighbors(routes.neighbors, partition.workers());
  std::vector<std::vector<Outgoing>> outgoing;  // by neighbor

  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    std::uint32_t slot = local_nodes.inputs().begin(i);
    for (const std::uint32_t source : topology.inputs(nodes[i])) {
      if (partition.worker_of(source) != me) neighbors.of(partition.worker_of(source)).receive.push_back(slot);
      ++slot;
    }
    slot = local_nodes.outputs().begin(i);
    for (const std::uint32_t target : topology.outputs(nodes[i])) {
      const std::optional<std::uint32_t> position = topology.input_index(target, nodes[i]);
      LAXITY_CHECK(position);  // every output is an input of its target
      if (partition.worker_of(target) == me) {
        routes.targets[slot] = {EdgeRoutes::inside,
                                local_nodes.inputs().begin(partition.position_of(target)) + *position};
      } else {
        const std::uint32_t neighbor = neighbors.place(partition.worker_of(target));
        if (outgoing.size() <= neighbor) outgoing.resize(neighbor + 1);
        outgoing[neighbor].push_back({target, *position, slot});
      }
      ++slot;
    }
  }
  for (std::uint32_t neighbor = 0; neighbor < outgoing.size(); ++neighbor) {
    auto& edges = outgoing[neighbor];
    std::ranges::sort(edges, {}, [](const Outgoing& edge) { return std::pair(edge.target, edge.position); });
    for (const Outgoing& edge : edges) routes.targets[edge.slot] = {neighbor, routes.neighbors[neighbor].send++};
  }
  return routes;
}

NodeRoutes node_routes(const LocalNodes& local_nodes, const Topology& topology, const Partition& partition) {
  const std::uint32_t me = local_nodes.worker();
  const auto nodes = local_nodes.nodes();
  NodeRoutes routes;
  NeighborList neighbors(routes.neighbors, partition.workers());
  std::vector<std::uint32_t> remote_sources;  // nodes of other workers
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    for (const std::uint32_t source : topology.inputs(nodes[i]))
      if (partition.worker_of(source) != me)
        remote_sources.push_back(source);
      else
        routes.has_inside_edges = true;
    for (const std::uint32_t target : topology.outputs(nodes[i])) {
      if (partition.worker_of(target) == me) continue;
      auto& send = neighbors.of(partition.worker_of(target)).send;
      if (send.empty() || send.back() != i) send.push_back(i);
    }
  }
  std::ranges::sort(remote_sources, {}, [&](std::uint32_t node) { return std::pair(partition.worker_of(node), node); });
  remote_sources.erase(std::unique(remote_sources.begin(), remote_sources.end()), remote_sources.end());

  routes.ghosts = static_cast<std::uint32_t>(remote_sources.size());
  for (std::uint32_t ghost = 0; ghost < routes.ghosts; ++ghost) {
    NodeRoutes::Neighbor& neighbor = neighbors.of(partition.worker_of(remote_sources[ghost]));
    if (neighbor.ghosts++ == 0) neighbor.first_ghost = ghost;
  }
  std::vector<std::uint32_t> ghost_of(routes.ghosts == 0 ? 0 : topology.nodes());
  for (std::uint32_t ghost = 0; ghost < routes.ghosts; ++ghost) ghost_of[remote_sources[ghost]] = ghost;
  const auto own = static_cast<std::uint32_t>(nodes.size());
  routes.source_of_input.reserve(local_nodes.inputs().total());
  for (const std::uint32_t node : nodes)
    for (const std::uint32_t source : topology.inputs(node))
      routes.source_of_input.push_back(partition.worker_of(source) == me ? partition.position_of(source)
                                                                         : own + ghost_of[source]);
  return routes;
}

}  // namespace laxity
