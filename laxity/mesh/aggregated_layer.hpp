// A layer on which every edge carries any number of messages of any size per update: one frame per neighbouring worker.
//
// Invariants: messages of an edge keep their order; a pull shows all frames that had come, so no message is passed
// over; an edge
//   inside the worker behaves as one between workers that refuses nothing.
// Elsewhere: the frames (channel/aggregate.hpp).
#pragma once

#include <vector>

#include "laxity/channel/aggregate.hpp"
#include "laxity/mesh/edge_ends.hpp"
#include "laxity/mesh/layer.hpp"

namespace laxity {

template <Payload T>
class Aggregated {
 public:
  using value_type = T;

  explicit Aggregated(const LayerSetup& setup)
      : inputs_(setup.share.inputs()),
        outputs_(setup.share.outputs()),
        routes_(edge_routes(setup.share, setup.topology, setup.partition)),
        next_(inputs_.total()),
        seen_(inputs_.total()),
        newest_(inputs_.total()),
        self_(setup, setup.share.worker(), 1, 1, 0, 0) {
    links_.reserve(routes_.neighbours.size());
    for (const EdgeRoutes::Neighbour& neighbour : routes_.neighbours)
      links_.emplace_back(setup, neighbour.worker, neighbour.send,
                          static_cast<std::uint32_t>(neighbour.receive.size()));
  }

  template <std::uint32_t = 0>
  using View = EdgeView<Aggregated>;
  [[nodiscard]] const RowIndex& input_slots() const noexcept { return inputs_; }
  [[nodiscard]] const RowIndex& output_slots() const noexcept { return outputs_; }

  bool try_put(std::uint32_t slot, const T& message) {
    const EdgeRoutes::Target target = routes_.targets[slot];
    if (target.neighbour != EdgeRoutes::inside) return links_[target.neighbour].inlet.try_put(target.place, message);
    next_[target.place].push_back(message);
    return true;
  }
  [[nodiscard]] const T& get(std::uint32_t slot) const noexcept { return newest_[slot]; }
  [[nodiscard]] bool fresh(std::uint32_t slot) const noexcept { return !seen_[slot].empty(); }
  /// What the last pull brought, oldest first; valid until the next pull.
  [[nodiscard]] std::span<const T> messages(std::uint32_t slot) const noexcept { return seen_[slot]; }

  void pull(bool across = true) {
    for (std::uint32_t slot = 0; slot < seen_.size(); ++slot) {
      seen_[slot].clear();
      std::swap(seen_[slot], next_[slot]);
    }
    self_.count_pull(1, self_.touch(), 0);
    for (std::uint32_t n = 0; n < links_.size() && across; ++n)
      if (links_[n].end.receives()) pull(links_[n], routes_.neighbours[n].receive);
    for (std::uint32_t slot = 0; slot < seen_.size(); ++slot)
      if (!seen_[slot].empty()) newest_[slot] = seen_[slot].back();
  }

  void flush(bool across = true) noexcept {
    self_.count_flush(true);
    if (!across) return;
    for (Link& link : links_) {
      if (!link.end.sends() || !link.inlet.pending()) continue;
      link.end.count_flush(link.inlet.try_flush(link.end.touch()));
    }
  }

 private:
  struct Link {
    Link(const LayerSetup& setup, std::uint32_t worker, std::uint32_t send, std::uint32_t receive)
        : end(setup, worker, send, receive, setup.options.max_bytes, setup.options.max_bytes),
          inlet(std::move(end.sender()), send),
          outlet(std::move(end.receiver()), receive) {}
    LinkEnd end;
    AggregateInlet<T> inlet;
    AggregateOutlet<T> outlet;
  };

  void pull(Link& link, const std::vector<std::uint32_t>& slots) {
    std::size_t moved = 0;
    while (moved < AggregateOutlet<T>::max_frames_per_pull && link.outlet.try_step() != 0) {
      ++moved;
      for (std::uint32_t channel = 0; channel < slots.size(); ++channel)
        for (const T& message : link.outlet.messages(channel)) seen_[slots[channel]].push_back(message);
    }
    link.end.count_pull(moved, link.outlet.touch(), link.outlet.superseded());
  }

  const RowIndex& inputs_;
  const RowIndex& outputs_;
  EdgeRoutes routes_;
  std::vector<std::vector<T>> next_;  // per input slot: put, not yet pulled
  std::vector<std::vector<T>> seen_;  // per input slot: what the last pull brought
  std::vector<T> newest_;             // per input slot
  LinkEnd self_;                      // the edges inside the worker, all together
  std::vector<Link> links_;
};

}  // namespace laxity
