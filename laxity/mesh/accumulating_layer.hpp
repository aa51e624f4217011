// A layer on which messages of an edge merge until they are taken; their total is conserved exactly.
//
// Invariants: merged(put) = merged(waiting + in flight + received + taken), over all workers, at every moment between
//   updates; an edge inside the worker behaves as one between workers.
// Elsewhere: the frames (channel/accumulate.hpp).
#pragma once

#include <vector>

#include "laxity/channel/accumulate.hpp"
#include "laxity/mesh/edge_ends.hpp"
#include "laxity/mesh/layer.hpp"

namespace laxity {

/// Needs overflow drop_newest. T{} is the neutral element of Merge.
template <class T, class Merge = std::plus<>>
  requires(std::is_trivially_copyable_v<T> && alignof(T) <= 8)
class Accumulating {
 public:
  using value_type = T;

  explicit Accumulating(const LayerSetup& setup)
      : inputs_(setup.share.inputs()),
        outputs_(setup.share.outputs()),
        routes_(edge_routes(setup.share, setup.topology, setup.partition)),
        next_(inputs_.total()),
        held_(inputs_.total()),
        fresh_(inputs_.total()),
        self_(setup, setup.share.worker(), 1, 1, 0, 0) {
    links_.reserve(routes_.neighbours.size());
    for (const EdgeRoutes::Neighbour& neighbour : routes_.neighbours)
      links_.emplace_back(setup, neighbour.worker, neighbour.send,
                          static_cast<std::uint32_t>(neighbour.receive.size()));
  }

  template <std::uint32_t = 0>
  using View = EdgeView<Accumulating>;
  [[nodiscard]] const RowIndex& input_slots() const noexcept { return inputs_; }
  [[nodiscard]] const RowIndex& output_slots() const noexcept { return outputs_; }

  bool try_put(std::uint32_t slot, const T& message) {
    const EdgeRoutes::Target target = routes_.targets[slot];
    if (target.neighbour == EdgeRoutes::inside) {
      next_[target.place] = merge_(next_[target.place], message);
    } else {
      links_[target.neighbour].inlet.put(target.place, message);
    }
    return true;
  }
  [[nodiscard]] const T& get(std::uint32_t slot) const noexcept { return held_[slot]; }
  [[nodiscard]] bool fresh(std::uint32_t slot) const noexcept { return fresh_[slot] != 0; }
  [[nodiscard]] T take(std::uint32_t slot) noexcept { return std::exchange(held_[slot], T{}); }

  void pull(bool across = true) noexcept {
    for (std::uint32_t slot = 0; slot < next_.size(); ++slot) receive(slot, std::exchange(next_[slot], T{}));
    self_.count_pull(1, self_.touch(), 0);
    for (std::uint32_t n = 0; n < links_.size() && across; ++n) {
      Link& link = links_[n];
      if (!link.end.receives()) continue;
      const std::size_t moved = link.outlet.jump();
      link.end.count_pull(moved, link.outlet.touch(), 0);
      const auto& slots = routes_.neighbours[n].receive;
      for (std::uint32_t channel = 0; channel < slots.size(); ++channel)
        receive(slots[channel], link.outlet.take(channel));
    }
  }

  void flush(bool across = true) noexcept {
    self_.count_flush(true);
    if (!across) return;
    for (Link& link : links_)
      if (link.end.sends() && link.inlet.waiting() != 0) link.end.count_flush(link.inlet.try_flush(link.end.touch()));
  }

 private:
  struct Link {
    Link(const LayerSetup& setup, std::uint32_t worker, std::uint32_t send, std::uint32_t receive)
        : end(setup, worker, send, receive, pool_frame_bytes<T>(send), pool_frame_bytes<T>(receive)),
          inlet(std::move(end.sender()), send),
          outlet(std::move(end.receiver()), receive) {}
    LinkEnd end;
    AccumulateInlet<T, Merge> inlet;
    AccumulateOutlet<T, Merge> outlet;
  };

  void receive(std::uint32_t slot, const T& mass) noexcept {
    held_[slot] = merge_(held_[slot], mass);
    fresh_[slot] = std::memcmp(&mass, &nothing_, sizeof(T)) != 0;
  }

  static constexpr T nothing_{};
  const RowIndex& inputs_;
  const RowIndex& outputs_;
  EdgeRoutes routes_;
  [[no_unique_address]] Merge merge_;
  std::vector<T> next_;              // per input slot: put, not yet pulled
  std::vector<T> held_;              // per input slot: received, not yet taken
  std::vector<std::uint8_t> fresh_;  // per input slot: the last pull brought something
  LinkEnd self_;                     // the edges inside the worker, all together
  std::vector<Link> links_;
};

}  // namespace laxity
