// A layer with one value per edge, pooled: one frame per neighboring worker and update, with a slot for each edge.
//
// Invariants: what inputs show changes in pull() only; an edge inside the worker behaves as one between workers that
//   loses nothing; a newer put before a flush replaces the older.
// Elsewhere: the frames (channel/pooled_channels.hpp); one value for all edges of a node, which is cheaper
//   (state_layer.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "laxity/channel/codec.hpp"
#include "laxity/channel/pooled_channels.hpp"
#include "laxity/channel/value_frame.hpp"
#include "laxity/mesh/layers/edge_ends.hpp"
#include "laxity/mesh/layers/input_slots.hpp"
#include "laxity/mesh/layers/packed_edges.hpp"

namespace laxity {

template <FixedPayload T>
class PooledLayer : public PackedEdges<PooledInlet<T>, PooledOutlet<T>> {
 public:
  using value_type = T;

  explicit PooledLayer(const LayerSetup& setup)
      : PackedEdges<PooledInlet<T>, PooledOutlet<T>>(setup, value_frame_bytes<T>),
        slots_(setup.local_nodes.inputs().total()) {}

  template <std::uint32_t = 0>
  using View = EdgeView<PooledLayer>;

  bool try_put(std::uint32_t slot, const T& message) {
    const EdgeRoutes::Target target = this->target(slot);
    if (target.is_inside())
      slots_.put(target.place, message);
    else
      this->inlet(target).put(target.place, message);
    return true;
  }
  [[nodiscard]] const T& get(std::uint32_t slot) const noexcept { return slots_.get(slot); }
  [[nodiscard]] bool fresh(std::uint32_t slot) const noexcept { return slots_.fresh(slot); }

  /// Block view: what every input slot shows; those of node i are [inputs.begin(i), inputs.begin(i + 1)).
  [[nodiscard]] std::span<const T> received() const noexcept { return slots_.all(); }

  void pull(bool across = true) {
    slots_.pull();
    this->pull_neighbors(across, [this](PooledOutlet<T>& outlet, const std::vector<std::uint32_t>& slots) {
      const bool moved = outlet.jump() != 0;
      for (std::uint32_t channel = 0; channel < slots.size(); ++channel) {
        if (moved) slots_.receive(slots[channel], [&](T& value) { value = outlet.get(channel); });
        slots_.set_fresh(slots[channel], outlet.fresh(channel));
      }
    });
  }

  /// What the inputs show, and what was put inside the worker; nothing that is on its way to or from another worker.
  void serialize_inside(Archive& archive) noexcept { slots_.serialize(archive); }

 private:
  InputSlots<T> slots_;
};

}  // namespace laxity
