// A layer on which every edge carries any number of messages of any size per update: one frame per neighboring worker.
//
// Invariants: messages of an edge keep their order; a pull shows all frames that have arrived, so no message is
//   skipped; an edge inside the worker behaves as one between workers that refuses nothing.
// Elsewhere: the frames (channel/aggregated_channels.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "laxity/channel/aggregated_channels.hpp"
#include "laxity/channel/codec.hpp"
#include "laxity/mesh/layers/edge_ends.hpp"
#include "laxity/mesh/layers/packed_edges.hpp"

namespace laxity {

template <Payload T>
class AggregatedLayer : public PackedEdges<AggregatedInlet<T>, AggregatedOutlet<T>> {
 public:
  using value_type = T;

  explicit AggregatedLayer(const LayerSetup& setup)
      : PackedEdges<AggregatedInlet<T>, Outlet>(setup, [&](std::uint32_t) { return setup.options.max_bytes; }),
        next_(setup.local_nodes.inputs().total()),
        shown_(next_.size()),
        newest_(next_.size()) {}

  template <std::uint32_t = 0>
  using View = EdgeView<AggregatedLayer>;

  bool try_put(std::uint32_t slot, const T& message) {
    const EdgeRoutes::Target target = this->target(slot);
    if (!target.is_inside()) return this->inlet(target).try_put(target.place, message);
    next_[target.place].push_back(message);
    return true;
  }
  [[nodiscard]] const T& get(std::uint32_t slot) const noexcept { return newest_[slot]; }
  [[nodiscard]] bool fresh(std::uint32_t slot) const noexcept { return !shown_[slot].empty(); }
  /// The messages of the last pull, oldest first; valid until the next pull.
  [[nodiscard]] std::span<const T> messages(std::uint32_t slot) const noexcept { return shown_[slot]; }

  void pull(bool across = true) {
    for (std::uint32_t slot = 0; slot < shown_.size(); ++slot) {
      shown_[slot].clear();
      std::swap(shown_[slot], next_[slot]);
    }
    this->pull_neighbors(across, [this](Outlet& outlet, const std::vector<std::uint32_t>& slots) {
      outlet.jump([&] {
        for (std::uint32_t channel = 0; channel < slots.size(); ++channel)
          for (const T& message : outlet.messages(channel)) shown_[slots[channel]].push_back(message);
      });
    });
    for (std::uint32_t slot = 0; slot < shown_.size(); ++slot)
      if (!shown_[slot].empty()) newest_[slot] = shown_[slot].back();
  }

  /// The messages of the last pull, and those put inside the worker since; nothing that is on its way to or from another
  /// worker. An edge without a message in the last pull then shows T{}.
  void serialize_inside(Archive& archive) {
    for (std::uint32_t slot = 0; slot < shown_.size(); ++slot) {
      serialize(archive, next_[slot]);
      serialize(archive, shown_[slot]);
      if (archive.reads()) newest_[slot] = shown_[slot].empty() ? T{} : shown_[slot].back();
    }
  }

 private:
  using Outlet = AggregatedOutlet<T>;

  static void serialize(Archive& archive, std::vector<T>& messages) {
    const std::size_t number = archive.count(messages.size());
    if (archive.reads()) messages.resize(number);
    std::vector<std::byte> bytes;
    for (T& message : messages) {
      if (!archive.reads()) {
        bytes.resize(Codec<T>::bytes(message));
        Codec<T>::encode(message, bytes.data());
      }
      archive.resizable(bytes);
      if (archive.reads()) Codec<T>::decode(bytes, message);
    }
  }

  std::vector<std::vector<T>> next_;   // per input slot: put on an edge inside the worker since the last pull
  std::vector<std::vector<T>> shown_;  // per input slot: the messages of the last pull
  std::vector<T> newest_;              // per input slot
};

}  // namespace laxity
