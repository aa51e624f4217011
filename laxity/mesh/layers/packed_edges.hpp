// The edges of one worker as a packed layer holds them: where each leads, and for every neighboring worker an inlet and
// an outlet with a channel per edge.
//
// A layer adds what its values do: where those on edges inside the worker wait, and what inputs show.
// Invariants: one frame per neighbor and flush at most; every pull and every flush is counted.
// Threads: one worker.
// Elsewhere: the layers (pooled_layer.hpp, aggregated_layer.hpp, accumulating_layer.hpp), which edge has which channel
// (share.hpp).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "laxity/mesh/layers/layer.hpp"
#include "laxity/mesh/local_nodes.hpp"

namespace laxity {

/// Inlet and Outlet are the two ends of one kind of packing (channel/), for all channels between two workers.
template <class Inlet, class Outlet>
class PackedEdges {
 public:
  /// frame_bytes(n) is the largest frame that n channels need.
  template <class FrameBytes>
  PackedEdges(const LayerSetup& setup, FrameBytes&& frame_bytes)
      : local_nodes_(setup.local_nodes),
        routes_(edge_routes(setup.local_nodes, setup.topology, setup.partition)),
        inside_(NeighborLink::inside_worker(setup)) {
    links_.reserve(routes_.neighbors.size());
    for (const EdgeRoutes::Neighbor& neighbor : routes_.neighbors) {
      const auto receive = static_cast<std::uint32_t>(neighbor.receive.size());
      links_.emplace_back(NeighborLink(setup, neighbor.worker, neighbor.send, receive, frame_bytes(neighbor.send),
                                       frame_bytes(receive)),
                          neighbor.send, receive);
    }
  }

  [[nodiscard]] const LocalNodes& local_nodes() const noexcept { return local_nodes_; }

  /// Where an output slot leads: the place of an edge inside the worker is the input slot, otherwise the channel of the
  /// inlet.
  [[nodiscard]] EdgeRoutes::Target target(std::uint32_t slot) const noexcept { return routes_.targets[slot]; }
  /// Of a target that is not inside.
  [[nodiscard]] Inlet& inlet(EdgeRoutes::Target target) noexcept { return links_[target.neighbor].inlet; }

  /// Counts a pull of the edges inside and, with `across`, lets receive(outlet, slots) pull from each neighbor and say
  /// how many frames it moved; slots[channel] is the input slot of a channel.
  template <class Receive>
  void pull(bool across, Receive&& receive) {
    inside_.count_pull(1, inside_.touch(), 0);
    if (!across) return;
    for (std::uint32_t n = 0; n < links_.size(); ++n) {
      auto& [end, inlet, outlet] = links_[n];
      if (!end.receives()) continue;
      const std::size_t moved = receive(outlet, routes_.neighbors[n].receive);
      end.count_pull(moved, outlet.touch(), outlet.superseded());
    }
  }

  /// Sends what waits.
  void flush(bool across) noexcept {
    inside_.count_flush(true);
    if (!across) return;
    for (auto& [end, inlet, outlet] : links_)
      if (end.is_due() && inlet.pending()) end.count_flush(inlet.try_flush(end.touch()));
  }

  /// Visits the link to and from every other worker.
  template <class Visit>
  void for_each_link(Visit&& visit) {
    for (Link& link : links_) visit(link.end);
  }

 private:
  struct Link {
    Link(NeighborLink link_end, std::uint32_t send, std::uint32_t receive)
        : end(std::move(link_end)), inlet(std::move(end.sender()), send), outlet(std::move(end.receiver()), receive) {}
    NeighborLink end;
    Inlet inlet;
    Outlet outlet;
  };

  const LocalNodes& local_nodes_;
  EdgeRoutes routes_;
  NeighborLink inside_;  // the edges inside the worker, all together
  std::vector<Link> links_;
};

}  // namespace laxity
