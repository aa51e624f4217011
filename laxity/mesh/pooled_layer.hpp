// A layer with a value per edge, pooled: one frame per neighbouring worker and update, a slot per edge.
//
// Invariants: what inputs show changes in pull() only; an edge inside the worker behaves as one between workers that
//   loses nothing; a newer put before a flush replaces the older.
// Elsewhere: the frames (channel/pool.hpp); one value for all edges of a node, which is cheaper (state_layer.hpp).
#pragma once

#include <algorithm>
#include <vector>

#include "laxity/channel/pool.hpp"
#include "laxity/mesh/edge_ends.hpp"
#include "laxity/mesh/layer.hpp"

namespace laxity {

template <class T>
  requires(std::is_trivially_copyable_v<T> && alignof(T) <= 8)
class Pooled {
 public:
  using value_type = T;

  explicit Pooled(const LayerSetup& setup)
      : inputs_(setup.share.inputs()),
        outputs_(setup.share.outputs()),
        routes_(edge_routes(setup.share, setup.topology, setup.partition)),
        next_(inputs_.total()),
        seen_(inputs_.total()),
        news_(inputs_.total()),
        fresh_(inputs_.total()),
        self_(setup, setup.share.worker(), 1, 1, 0, 0) {
    links_.reserve(routes_.neighbours.size());
    for (const EdgeRoutes::Neighbour& neighbour : routes_.neighbours) {
      const auto receive = static_cast<std::uint32_t>(neighbour.receive.size());
      links_.emplace_back(setup, neighbour.worker, neighbour.send, receive);
    }
  }

  template <std::uint32_t = 0>
  using View = EdgeView<Pooled>;
  [[nodiscard]] const RowIndex& input_slots() const noexcept { return inputs_; }
  [[nodiscard]] const RowIndex& output_slots() const noexcept { return outputs_; }

  bool try_put(std::uint32_t slot, const T& message) {
    const EdgeRoutes::Target target = routes_.targets[slot];
    if (target.neighbour == EdgeRoutes::inside) {
      next_[target.place] = message;
      news_[target.place] = 1;
    } else {
      links_[target.neighbour].inlet.put(target.place, message);
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
    self_.count_pull(1, self_.touch(), 0);
    for (std::uint32_t n = 0; n < links_.size() && across; ++n) {
      Link& link = links_[n];
      if (!link.end.receives()) continue;
      const std::size_t moved = link.outlet.jump();
      link.end.count_pull(moved, link.outlet.touch(), link.outlet.superseded());
      const auto& slots = routes_.neighbours[n].receive;
      for (std::uint32_t channel = 0; channel < slots.size(); ++channel) {
        next_[slots[channel]] = seen_[slots[channel]] = link.outlet.get(channel);
        fresh_[slots[channel]] = link.outlet.fresh(channel);
      }
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
    PoolInlet<T> inlet;
    PoolOutlet<T> outlet;
  };

  const RowIndex& inputs_;
  const RowIndex& outputs_;
  EdgeRoutes routes_;
  std::vector<T> next_;              // per input slot: put, not yet pulled
  std::vector<T> seen_;              // per input slot: as of the last pull
  std::vector<std::uint8_t> news_;   // per input slot: put since the last pull
  std::vector<std::uint8_t> fresh_;  // per input slot: the last pull brought something
  LinkEnd self_;                     // the edges inside the worker, all together
  std::vector<Link> links_;
};

}  // namespace laxity
