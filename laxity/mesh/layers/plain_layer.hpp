// A layer on which every edge between workers has a transport of its own: no packing.
//
// Dearer than the packings where workers share many edges, and the base line they are measured against.
// Invariants: what inputs show changes in pull() only; an edge inside the worker behaves as one between workers that
//   loses nothing; messages of variable length up to LayerOptions::max_bytes.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "laxity/channel/codec.hpp"
#include "laxity/channel/pack_header.hpp"
#include "laxity/mesh/layers/edge_ends.hpp"
#include "laxity/mesh/layers/layer.hpp"

namespace laxity {

template <Payload T>
class PlainLayer {
 public:
  using value_type = T;

  explicit PlainLayer(const LayerSetup& setup)
      : local_nodes_(setup.local_nodes),
        targets_(local_nodes_.outputs().total()),
        next_(local_nodes_.inputs().total()),
        seen_(next_.size()),
        news_(next_.size()),
        fresh_(next_.size()),
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
      next_[target.place] = message;
      news_[target.place] = 1;
      return true;
    }
    const std::size_t bytes = Codec<T>::bytes(message);
    if (bytes > max_bytes_) throw PayloadTooLarge(bytes, max_bytes_);
    NeighborLink& end = links_[target.place].end;
    if (!across_) return true;
    std::byte* room = end.sender().try_claim();
    end.count_flush(room != nullptr);
    if (room == nullptr) return false;
    const PackHeader header{end.touch(), 1};
    std::memcpy(room, &header, sizeof header);
    Codec<T>::encode(message, room + sizeof header);
    end.sender().publish(sizeof header + bytes);
    return true;
  }
  [[nodiscard]] const T& get(std::uint32_t slot) const noexcept { return seen_[slot]; }
  [[nodiscard]] bool fresh(std::uint32_t slot) const noexcept { return fresh_[slot] != 0; }

  void pull(bool across = true) {
    across_ = across;
    for (std::uint32_t slot = 0; slot < seen_.size(); ++slot)
      if (news_[slot] != 0) seen_[slot] = next_[slot];
    std::ranges::copy(news_, fresh_.begin());
    std::ranges::fill(news_, std::uint8_t{0});
    inside_.count_pull(1, inside_.touch(), 0);
    if (!across) return;
    for (Link& link : links_)
      if (link.end.receives()) pull(link);
  }

  /// Messages leave as they are put; this only counts the round of the edges inside the worker.
  void flush(bool across = true) noexcept {
    across_ = across;
    inside_.count_flush(true);
  }

  /// Visits the link to and from every other worker.
  template <class Visit>
  void for_each_link(Visit&& visit) {
    for (Link& link : links_) visit(link.end);
  }

 private:
  struct Target {
    bool inside;
    std::uint32_t place;  // inside: the input slot; otherwise the place in links_
  };
  struct Link {
    NeighborLink end;
    std::uint32_t slot;  // the input slot it feeds
  };

  static std::size_t fixed_or(std::size_t max_bytes) noexcept {
    if constexpr (requires { Codec<T>::fixed_bytes; }) return Codec<T>::fixed_bytes;
    return max_bytes;
  }

  // The k-th output and the k-th input of a node are the same neighbor for the first few k: they share a link end, so
  // that the touch count can travel to and fro.
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

    const std::size_t frame = sizeof(PackHeader) + max_bytes_;
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
        targets_[outputs.begin(i) + k] = {false, static_cast<std::uint32_t>(links_.size())};
        links_.push_back({NeighborLink(setup, routes.neighbors[target.neighbor].worker, 1, paired, frame, frame,
                                       target.place, paired ? incoming[slot].channel : 0),
                          paired ? slot : 0});
      }
      for (std::uint32_t k = both; k < inputs.size(i); ++k) {
        const std::uint32_t slot = inputs.begin(i) + k;
        if (incoming[slot].worker != EdgeRoutes::inside)
          links_.push_back(
              {NeighborLink(setup, incoming[slot].worker, 0, 1, frame, frame, 0, incoming[slot].channel), slot});
      }
    }
  }

  void pull(Link& link) {
    AnyReceiver& receiver = link.end.receiver();
    const std::size_t moved = receiver.jump();
    PackHeader header{};
    if (moved != 0) {
      const auto frame = receiver.frame();
      std::memcpy(&header, frame.data(), sizeof header);
      Codec<T>::decode(frame.subspan(sizeof header), seen_[link.slot]);
    }
    fresh_[link.slot] = moved != 0;
    link.end.count_pull(moved, header.touch, moved != 0 ? receiver.superseded() : 0);
  }

  const LocalNodes& local_nodes_;
  std::vector<Target> targets_;      // per output slot
  std::vector<T> next_;              // per input slot fed from inside: put, not yet pulled
  std::vector<T> seen_;              // per input slot: as of the last pull
  std::vector<std::uint8_t> news_;   // per input slot: put since the last pull
  std::vector<std::uint8_t> fresh_;  // per input slot: the last pull brought something
  std::size_t max_bytes_;
  bool across_ = true;
  NeighborLink inside_;  // the edges inside the worker, all together
  std::vector<Link> links_;
};

}  // namespace laxity
