// A layer with a value per edge, pooled: one frame per neighboring worker and update, a slot per edge.
//
// Invariants: what inputs show changes in pull() only; an edge inside the worker behaves as one between workers that
//   loses nothing; a newer put before a flush replaces the older.
// Elsewhere: the frames (channel/pooled_channels.hpp); one value for all edges of a node, which is cheaper (state_layer.hpp).
#pragma once

#include <algorithm>
#include <vector>

#include "laxity/channel/pooled_channels.hpp"
#include "laxity/mesh/layers/edge_ends.hpp"
#include "laxity/mesh/layers/packed_edges.hpp"

namespace laxity {

template <class T>
  requires(std::is_trivially_copyable_v<T> && alignof(T) <= 8)
class PooledLayer {
 public:
  using value_type = T;

  explicit PooledLayer(const LayerSetup& setup)
      : edges_(setup, pooled_frame_bytes<T>),
        next_(setup.local_nodes.inputs().total()),
        seen_(next_.size()),
        news_(next_.size()),
        fresh_(next_.size()) {}

  template <std::uint32_t = 0>
  using View = EdgeView<PooledLayer>;
  [[nodiscard]] const LocalNodes& local_nodes() const noexcept { return edges_.local_nodes(); }

  bool try_put(std::uint32_t slot, const T& message) {
    const EdgeRoutes::Target target = edges_.target(slot);
    if (target.is_inside()) {
      next_[target.place] = message;
      news_[target.place] = 1;
    } else {
      edges_.inlet(target).put(target.place, message);
    }
    return true;
  }
  [[nodiscard]] const T& get(std::uint32_t slot) const noexcept { return seen_[slot]; }
  [[nodiscard]] bool fresh(std::uint32_t slot) const noexcept { return fresh_[slot] != 0; }

  /// Block view: what every input slot shows; node i's are [inputs.begin(i), inputs.begin(i + 1)).
  [[nodiscard]] std::span<const T> received() const noexcept { return seen_; }

  void pull(bool across = true) noexcept {
    std::ranges::copy(next_, seen_.begin());
    std::ranges::copy(news_, fresh_.begin());
    std::ranges::fill(news_, std::uint8_t{0});
    edges_.pull(across, [this](PooledOutlet<T>& outlet, const std::vector<std::uint32_t>& slots) {
      const std::size_t moved = outlet.jump();
      for (std::uint32_t channel = 0; channel < slots.size(); ++channel) {
        next_[slots[channel]] = seen_[slots[channel]] = outlet.get(channel);
        fresh_[slots[channel]] = outlet.fresh(channel);
      }
      return moved;
    });
  }

  void flush(bool across = true) noexcept { edges_.flush(across); }

  template <class Visit>
  void for_each_link(Visit&& visit) {
    edges_.for_each_link(visit);
  }

 private:
  PackedEdges<PooledInlet<T>, PooledOutlet<T>> edges_;
  std::vector<T> next_;              // per input slot: put, not yet pulled
  std::vector<T> seen_;              // per input slot: as of the last pull
  std::vector<std::uint8_t> news_;   // per input slot: put since the last pull
  std::vector<std::uint8_t> fresh_;  // per input slot: the last pull brought something
};

}  // namespace laxity
