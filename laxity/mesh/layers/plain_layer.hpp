// A layer on which every edge between workers has a transport of its own: no packing.
//
// More expensive than the packings where workers share many edges, and the baseline for them.
// Invariants: what inputs show changes in pull() only; an edge inside the worker behaves as one between workers that
//   loses nothing; messages of variable length have at most LayerOptions::max_bytes bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "laxity/channel/codec.hpp"
#include "laxity/channel/damaged_frame.hpp"
#include "laxity/channel/pack_header.hpp"
#include "laxity/mesh/layers/edge_ends.hpp"
#include "laxity/mesh/layers/input_slots.hpp"
#include "laxity/mesh/layers/neighbor_link.hpp"
#include "laxity/mesh/local_nodes.hpp"

namespace laxity {

template <Payload T>
class PlainLayer {
 public:
  using value_type = T;

  explicit PlainLayer(const LayerSetup& setup)
      : local_nodes_(setup.local_nodes),
        targets_(local_nodes_.outputs().total()),
        slots_(local_nodes_.inputs().total()),
        max_bytes_(fixed_or(setup.options.max_bytes)),
        inside_(NeighborLink::inside_worker(setup)) {
    connect(setup, edge_routes(setup.local_nodes, setup.topology, setup.partition));
  }

  template <std::uint32_t = 0>
  using View = EdgeView<PlainLayer>;
  [[nodiscard]] const LocalNodes& local_nodes() const noexcept { return local_nodes_; }

  bool try_put(std::uint32_t slot, const T& message) {
    const Target target = targets_[slot];
    if (target.inside) {
      slots_.put(target.place, message);
      return true;
    }
    const std::size_t bytes = Codec<T>::bytes(message);
    if (bytes > max_bytes_) throw PayloadTooLarge(bytes, max_bytes_);
    if (!across_) return true;
    return edges_[target.place].link.try_send(bytes, [&](std::byte* room) { Codec<T>::encode(message, room); });
  }
  [[nodiscard]] const T& get(std::uint32_t slot) const noexcept { return slots_.get(slot); }
  [[nodiscard]] bool fresh(std::uint32_t slot) const noexcept { return slots_.fresh(slot); }

  void pull(bool across = true) {
    across_ = across;
    slots_.pull();
    inside_.count_pull(1, inside_.touch(), 0);
    if (!across) return;
    for (auto& [link, slot] : edges_)
      if (link.receives()) pull(link, slot);
  }

  /// Messages leave when they are put. Counts the flush of the edges inside the worker.
  void flush(bool across = true) noexcept {
    across_ = across;
    inside_.count_flush(true);
  }

  /// Visits the link to and from every other worker.
  template <class Visit>
  void for_each_link(Visit&& visit) {
    for (Edge& edge : edges_) visit(edge.link);
  }

 private:
  struct Target {
    bool inside;
    std::uint32_t place;  // inside: the input slot; otherwise the index in edges_
  };
  struct Edge {
    NeighborLink link;
    std::uint32_t slot;  // the input slot that it feeds
  };

  static std::size_t fixed_or(std::size_t max_bytes) noexcept {
    if constexpr (requires { Codec<T>::fixed_bytes; }) return Codec<T>::fixed_bytes;
    return max_bytes;
  }

  // For k below the reciprocal degree the k-th output and the k-th input of a node are the same neighbor: they share a
  // link, so that the touch count travels in both directions.
  void connect(const LayerSetup& setup, const EdgeRoutes& routes) {
    const RowIndex& inputs = local_nodes_.inputs();
    const RowIndex& outputs = local_nodes_.outputs();
    struct Incoming {
      std::uint32_t worker, channel;
    };
    std::vector<Incoming> incoming(inputs.total(), {EdgeRoutes::inside, 0});
    for (const EdgeRoutes::Neighbor& neighbor : routes.neighbors)
      for (std::uint32_t channel = 0; channel < neighbor.receive.size(); ++channel)
        incoming[neighbor.receive[channel]] = {neighbor.worker, channel};

    const auto direction = [&](std::uint32_t from, std::uint32_t to, std::uint32_t channel) {
      const LayerOptions& options = setup.options;
      return LinkDirection{.channels = 1,
                           .frame_bytes = sizeof(PackHeader) + max_bytes_,
                           .send_depth = options.channel_depth ? options.channel_depth(from, to) : options.send_depth,
                           .channel = channel};
    };
    const auto nodes = setup.local_nodes.nodes();
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      const std::uint32_t both = setup.topology.reciprocal_degree(nodes[i]);
      for (std::uint32_t k = 0; k < outputs.size(i); ++k) {
        const EdgeRoutes::Target target = routes.targets[outputs.begin(i) + k];
        if (target.neighbor == EdgeRoutes::inside) {
          targets_[outputs.begin(i) + k] = {true, target.place};
          continue;
        }
        const std::uint32_t slot = inputs.begin(i) + k;
        const bool paired = k < both;
        targets_[outputs.begin(i) + k] = {false, static_cast<std::uint32_t>(edges_.size())};
        const std::uint32_t other = setup.topology.outputs(nodes[i])[k];
        edges_.push_back(
            {NeighborLink(setup, routes.neighbors[target.neighbor].worker, direction(nodes[i], other, target.place),
                          paired ? direction(other, nodes[i], incoming[slot].channel) : LinkDirection{}),
             paired ? slot : 0});
      }
      for (std::uint32_t k = both; k < inputs.size(i); ++k) {
        const std::uint32_t slot = inputs.begin(i) + k;
        if (incoming[slot].worker != EdgeRoutes::inside)
          edges_.push_back(
              {NeighborLink(setup, incoming[slot].worker, {},
                            direction(setup.topology.inputs(nodes[i])[k], nodes[i], incoming[slot].channel)),
               slot});
      }
    }
  }

  void pull(NeighborLink& link, std::uint32_t slot) {
    const bool moved = link.jump([&](std::span<const std::byte> bytes) {
      if constexpr (requires { Codec<T>::fixed_bytes; }) detail::require_frame_bytes(bytes, Codec<T>::fixed_bytes);
      slots_.receive(slot, [&](T& value) { Codec<T>::decode(bytes, value); });
    });
    slots_.set_fresh(slot, moved);
  }

  const LocalNodes& local_nodes_;
  std::vector<Target> targets_;  // per output slot
  InputSlots<T> slots_;
  std::size_t max_bytes_;
  bool across_ = true;
  NeighborLink inside_;
  std::vector<Edge> edges_;  // between workers
};

}  // namespace laxity
