// A layer on which every edge carries any number of messages of any size per update: one frame per neighboring worker.
//
// Invariants: messages of an edge keep their order; a pull shows all frames that had come, so no message is passed
// over; an edge
//   inside the worker behaves as one between workers that refuses nothing.
// Elsewhere: the frames (channel/aggregated_channels.hpp).
#pragma once

#include <vector>

#include "laxity/channel/aggregated_channels.hpp"
#include "laxity/mesh/layers/edge_ends.hpp"
#include "laxity/mesh/layers/packed_edges.hpp"

namespace laxity {

template <Payload T>
class AggregatedLayer {
 public:
  using value_type = T;

  explicit AggregatedLayer(const LayerSetup& setup)
      : edges_(setup, [&](std::uint32_t) { return setup.options.max_bytes; }),
        next_(setup.local_nodes.inputs().total()),
        seen_(next_.size()),
        newest_(next_.size()) {}

  template <std::uint32_t = 0>
  using View = EdgeView<AggregatedLayer>;
  [[nodiscard]] const LocalNodes& local_nodes() const noexcept { return edges_.local_nodes(); }

  bool try_put(std::uint32_t slot, const T& message) {
    const EdgeRoutes::Target target = edges_.target(slot);
    if (!target.is_inside()) return edges_.inlet(target).try_put(target.place, message);
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
    edges_.pull(across, [this](Outlet& outlet, const std::vector<std::uint32_t>& slots) {
      std::size_t moved = 0;
      while (moved < Outlet::max_frames_per_pull && outlet.try_step() != 0) {
        ++moved;
        for (std::uint32_t channel = 0; channel < slots.size(); ++channel)
          for (const T& message : outlet.messages(channel)) seen_[slots[channel]].push_back(message);
      }
      return moved;
    });
    for (std::uint32_t slot = 0; slot < seen_.size(); ++slot)
      if (!seen_[slot].empty()) newest_[slot] = seen_[slot].back();
  }

  void flush(bool across = true) noexcept { edges_.flush(across); }

  template <class Visit>
  void for_each_link(Visit&& visit) {
    edges_.for_each_link(visit);
  }

 private:
  using Outlet = AggregatedOutlet<T>;

  PackedEdges<AggregatedInlet<T>, Outlet> edges_;
  std::vector<std::vector<T>> next_;  // per input slot: put, not yet pulled
  std::vector<std::vector<T>> seen_;  // per input slot: what the last pull brought
  std::vector<T> newest_;             // per input slot
};

}  // namespace laxity
