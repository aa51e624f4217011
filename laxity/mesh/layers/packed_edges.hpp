// The edges of one worker in a packed layer: where each leads, and for every neighboring worker an inlet and an outlet
// with a channel per edge. The base of the packed layers, which add the values of their edges.
//
// Invariants: at most one frame per neighbor and flush; every put and every pull of every edge is counted.
// Threads: one worker.
// Elsewhere: the layers (pooled_layer.hpp, aggregated_layer.hpp, accumulating_layer.hpp), which edge has which channel
//   (mesh/local_nodes.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "laxity/mesh/layers/neighbor_link.hpp"
#include "laxity/mesh/local_nodes.hpp"

namespace laxity {

/// Inlet and Outlet are the two ends of one kind of packing (channel/), for all channels between two workers.
template <class Inlet, class Outlet>
class PackedEdges {
 public:
  [[nodiscard]] const LocalNodes& local_nodes() const noexcept { return local_nodes_; }

  /// Sends one frame to each neighbor for which something waits.
  void flush(bool across = true) noexcept {
    inside_.count_flush(true);
    if (!across) return;
    for (auto& [link, inlet, outlet] : neighbors_) {
      if (!link.sends()) continue;
      if (link.is_due()) inlet.try_flush(link.touch());
      link.count_puts(inlet.counts());
    }
  }

  /// Visits the link to and from every other worker.
  template <class Visit>
  void for_each_link(Visit&& visit) {
    for (Neighbor& neighbor : neighbors_) visit(neighbor.link);
  }

 protected:
  /// frame_bytes(n) is the size of the largest frame of n channels.
  template <class FrameBytes>
  PackedEdges(const LayerSetup& setup, FrameBytes&& frame_bytes)
      : local_nodes_(setup.local_nodes),
        routes_(edge_routes(setup.local_nodes, setup.topology, setup.partition)),
        inside_(NeighborLink::inside_worker(setup)) {
    neighbors_.reserve(routes_.neighbors.size());
    for (const EdgeRoutes::Neighbor& neighbor : routes_.neighbors) {
      const auto receive = static_cast<std::uint32_t>(neighbor.receive.size());
      neighbors_.emplace_back(
          NeighborLink(setup, neighbor.worker, setup.packed(neighbor.send, frame_bytes(neighbor.send)),
                       setup.packed(receive, frame_bytes(receive))),
          neighbor.send, receive);
    }
  }

  /// Where an output slot leads.
  [[nodiscard]] EdgeRoutes::Target target(std::uint32_t slot) const noexcept { return routes_.targets[slot]; }
  /// The inlet of a target that is not inside the worker.
  [[nodiscard]] Inlet& inlet(EdgeRoutes::Target target) noexcept { return neighbors_[target.neighbor].inlet; }

  /// Counts a pull of the edges inside the worker. With `across`, calls receive(outlet, slots) for each neighbor, which
  /// pulls; slots[channel] is the input slot of a channel.
  template <class Receive>
  void pull_neighbors(bool across, Receive&& receive) {
    inside_.count_pull(1, inside_.touch(), 0);
    if (!across) return;
    for (std::uint32_t n = 0; n < neighbors_.size(); ++n) {
      auto& [link, inlet, outlet] = neighbors_[n];
      if (!link.receives()) continue;
      receive(outlet, routes_.neighbors[n].receive);
      link.count_pull(outlet.arrivals());
    }
  }

 private:
  struct Neighbor {
    Neighbor(NeighborLink to_neighbor, std::uint32_t send, std::uint32_t receive)
        : link(std::move(to_neighbor)),
          inlet(std::move(link.sender()), send),
          outlet(std::move(link.receiver()), receive) {}
    NeighborLink link;
    Inlet inlet;
    Outlet outlet;
  };

  const LocalNodes& local_nodes_;
  EdgeRoutes routes_;
  NeighborLink inside_;
  std::vector<Neighbor> neighbors_;
};

}  // namespace laxity
