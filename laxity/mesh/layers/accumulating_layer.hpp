// A layer on which the messages of an edge merge until they are taken; their total is conserved exactly.
//
// Invariants: merged(put) = merged(waiting + in flight + received + taken), over all workers, at every moment between
//   updates; an edge inside the worker behaves as one between workers.
// Elsewhere: the frames (channel/accumulating_channels.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "laxity/channel/accumulating_channels.hpp"
#include "laxity/channel/codec.hpp"
#include "laxity/channel/value_frame.hpp"
#include "laxity/mesh/layers/edge_ends.hpp"
#include "laxity/mesh/layers/packed_edges.hpp"

namespace laxity {

/// Requires overflow drop_newest. T{} is the neutral element of Merge.
template <FixedPayload T, class Merge = std::plus<>>
class AccumulatingLayer : public PackedEdges<AccumulatingInlet<T, Merge>, AccumulatingOutlet<T, Merge>> {
 public:
  using value_type = T;

  explicit AccumulatingLayer(const LayerSetup& setup)
      : PackedEdges<AccumulatingInlet<T, Merge>, Outlet>(setup, value_frame_bytes<T>),
        next_(setup.local_nodes.inputs().total()),
        held_(next_.size()),
        fresh_(next_.size()) {}

  template <std::uint32_t = 0>
  using View = EdgeView<AccumulatingLayer>;

  bool try_put(std::uint32_t slot, const T& message) {
    const EdgeRoutes::Target target = this->target(slot);
    if (target.is_inside())
      next_[target.place] = merge_(next_[target.place], message);
    else
      this->inlet(target).put(target.place, message);
    return true;
  }
  [[nodiscard]] const T& get(std::uint32_t slot) const noexcept { return held_[slot]; }
  [[nodiscard]] bool fresh(std::uint32_t slot) const noexcept { return fresh_[slot] != 0; }
  [[nodiscard]] T take(std::uint32_t slot) noexcept { return std::exchange(held_[slot], T{}); }

  void pull(bool across = true) {
    for (std::uint32_t slot = 0; slot < next_.size(); ++slot) receive(slot, std::exchange(next_[slot], T{}));
    this->pull_neighbors(across, [this](Outlet& outlet, const std::vector<std::uint32_t>& slots) {
      outlet.jump();
      for (std::uint32_t channel = 0; channel < slots.size(); ++channel) receive(slots[channel], outlet.take(channel));
    });
  }

  /// What was received and not taken, and what was put inside the worker; nothing that is on its way to or from another
  /// worker.
  void serialize_inside(Archive& archive) noexcept {
    archive.values(std::span(next_));
    archive.values(std::span(held_));
    archive.values(std::span(fresh_));
  }

 private:
  using Outlet = AccumulatingOutlet<T, Merge>;

  void receive(std::uint32_t slot, const T& sum) noexcept {
    held_[slot] = merge_(held_[slot], sum);
    fresh_[slot] = std::memcmp(&sum, &nothing, sizeof(T)) != 0;  // NOLINT: T need not have an operator ==
  }

  static constexpr T nothing{};
  [[no_unique_address]] Merge merge_;
  std::vector<T> next_;              // per input slot: put on an edge inside the worker since the last pull
  std::vector<T> held_;              // per input slot: received, not yet taken
  std::vector<std::uint8_t> fresh_;  // per input slot: something arrived in the last pull
};

}  // namespace laxity
