#include "laxity/mesh/share.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>

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

// Index of each node of the share, by id; none for the nodes of others.
std::vector<std::uint32_t> indices_by_id(const Share& share, const Topology& topology) {
  std::vector<std::uint32_t> index_of(topology.nodes(), none);
  const auto nodes = share.nodes();
  for (std::uint32_t i = 0; i < nodes.size(); ++i) index_of[nodes[i]] = i;
  return index_of;
}

// The neighbours met so far, each made when first asked for.
class NeighbourList {
 public:
  explicit NeighbourList(std::uint32_t workers) : place_(workers, none) {}
  NeighbourChannels& of(std::uint32_t worker) {
    if (place_[worker] == none) {
      place_[worker] = static_cast<std::uint32_t>(list_.size());
      list_.push_back({worker, {}, {}});
    }
    return list_[place_[worker]];
  }
  std::vector<NeighbourChannels> sorted() && {
    std::ranges::sort(list_, {}, &NeighbourChannels::worker);
    return std::move(list_);
  }

 private:
  std::vector<std::uint32_t> place_;
  std::vector<NeighbourChannels> list_;
};

}  // namespace

Share::Share(const Topology& topology, const Partition& partition, std::uint32_t worker) : worker_(worker) {
  if (worker >= partition.workers())
    throw UsageError("worker " + std::to_string(worker) + " has no share: the partition is for " +
                     std::to_string(partition.workers()) + " workers; make it for as many as the team has");
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

EdgeRoutes edge_routes(const Share& share, const Topology& topology, const Partition& partition) {
  struct Outgoing {
    std::uint32_t target, position, slot;
  };
  const auto index_of = indices_by_id(share, topology);
  const auto nodes = share.nodes();
  NeighbourList neighbours(partition.workers());
  std::vector<std::vector<Outgoing>> outgoing(partition.workers());
  EdgeRoutes routes;
  routes.input_of_output.assign(share.outputs().total(), EdgeRoutes::remote);

  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    std::uint32_t slot = share.inputs().begin(i);
    for (const std::uint32_t source : topology.inputs(nodes[i])) {
      if (index_of[source] == none) neighbours.of(partition.worker_of(source)).receive.push_back(slot);
      ++slot;
    }
    slot = share.outputs().begin(i);
    for (const std::uint32_t target : topology.outputs(nodes[i])) {
      const std::uint32_t position = topology.input_index(target, nodes[i]).value();
      if (index_of[target] != none) {
        routes.input_of_output[slot] = share.inputs().begin(index_of[target]) + position;
      } else {
        neighbours.of(partition.worker_of(target));
        outgoing[partition.worker_of(target)].push_back({target, position, slot});
      }
      ++slot;
    }
  }
  routes.neighbours = std::move(neighbours).sorted();
  for (NeighbourChannels& neighbour : routes.neighbours) {
    auto& edges = outgoing[neighbour.worker];
    std::ranges::sort(edges, {}, [](const Outgoing& edge) { return std::tuple(edge.target, edge.position); });
    for (const Outgoing& edge : edges) neighbour.send.push_back(edge.slot);
  }
  return routes;
}

NodeRoutes node_routes(const Share& share, const Topology& topology, const Partition& partition) {
  const auto index_of = indices_by_id(share, topology);
  const auto nodes = share.nodes();
  NeighbourList neighbours(partition.workers());
  std::vector<std::uint32_t> heard;  // nodes of others, by id
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    for (const std::uint32_t source : topology.inputs(nodes[i]))
      if (index_of[source] == none) heard.push_back(source);
    for (const std::uint32_t target : topology.outputs(nodes[i])) {
      if (index_of[target] != none) continue;
      auto& send = neighbours.of(partition.worker_of(target)).send;
      if (send.empty() || send.back() != i) send.push_back(i);
    }
  }
  std::ranges::sort(heard, {}, [&](std::uint32_t node) { return std::pair(partition.worker_of(node), node); });
  heard.erase(std::unique(heard.begin(), heard.end()), heard.end());

  NodeRoutes routes;
  routes.ghosts = static_cast<std::uint32_t>(heard.size());
  for (std::uint32_t ghost = 0; ghost < routes.ghosts; ++ghost) {
    NeighbourChannels& neighbour = neighbours.of(partition.worker_of(heard[ghost]));
    if (neighbour.ghosts++ == 0) neighbour.first_ghost = ghost;
  }
  std::vector<std::uint32_t> place = index_of;  // own nodes first, then ghosts
  for (std::uint32_t ghost = 0; ghost < routes.ghosts; ++ghost)
    place[heard[ghost]] = static_cast<std::uint32_t>(nodes.size()) + ghost;
  routes.source_of_input.reserve(share.inputs().total());
  for (const std::uint32_t node : nodes)
    for (const std::uint32_t source : topology.inputs(node)) routes.source_of_input.push_back(place[source]);
  routes.neighbours = std::move(neighbours).sorted();
  return routes;
}

}  // namespace laxity
