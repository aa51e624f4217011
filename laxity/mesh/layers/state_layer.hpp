// A layer that carries the state of every node: one slot per node that a neighboring worker reads, all sent in each
// update.
//
// The layer stores the state itself, contiguously, so an update inside the worker is one block copy per pull and
// nothing per edge. Between workers the values that a neighbor reads are gathered straight into the frame.
// Invariants: what inputs show changes in pull() only; after a refusal nothing is kept, since the next frame carries
//   newer values.
// Source of the idea of one frame per neighbor and update: Conduit (2021), section 2, "pooling".
// Elsewhere: values that differ per edge (pooled_layer.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "laxity/channel/codec.hpp"
#include "laxity/channel/damaged_frame.hpp"
#include "laxity/channel/pack_header.hpp"
#include "laxity/check.hpp"
#include "laxity/mesh/layers/aligned_vector.hpp"
#include "laxity/mesh/layers/block_copy.hpp"
#include "laxity/mesh/layers/indexed_range.hpp"
#include "laxity/mesh/layers/neighbor_link.hpp"
#include "laxity/mesh/local_nodes.hpp"
#include "laxity/mesh/migration/archive.hpp"

namespace laxity {

/// Every node starts with T{}.
template <FixedPayload T>
class StateLayer {
 public:
  using value_type = T;

  explicit StateLayer(const LayerSetup& setup)
      : inputs_(setup.local_nodes.inputs()),
        routes_(node_routes(setup.local_nodes, setup.topology, setup.partition)),
        state_(setup.local_nodes.nodes().size()),
        seen_(state_.size() + routes_.ghosts),
        degree_(setup.local_nodes.uniform_degree()),
        send_on_change_(setup.options.send_on_change),
        inside_(NeighborLink::inside_worker(setup, routes_.has_inside_edges)) {
    neighbors_.reserve(routes_.neighbors.size());
    for (NodeRoutes::Neighbor& neighbor : routes_.neighbors) {
      const auto send = static_cast<std::uint32_t>(neighbor.send.size());
      neighbors_.push_back({NeighborLink(setup, neighbor.worker, setup.packed(send, frame_bytes(send)),
                                         setup.packed(neighbor.ghosts, frame_bytes(neighbor.ghosts))),
                            BlockCopy(neighbor.send), neighbor.first_ghost,
                            detail::AlignedVector<T>(send_on_change_ ? std::size_t{2} * send : 0)});
      neighbor.send = {};
    }
  }

  /// Block view: the state of every node, by index. Neighbors in this worker read it after the next pull.
  [[nodiscard]] std::span<T> state() noexcept { return state_; }

  /// One input of a node: the state of a neighbor as of the last pull.
  class Input {
   public:
    explicit Input(const T* value) noexcept : value_(value) {}
    [[nodiscard]] const T& get() const noexcept { return *value_; }

   private:
    const T* value_;
  };

  /// The view of this layer that a loop over nodes holds: pointers, which stay in registers. If Degree is not 0, it is
  /// the number of inputs of every node.
  template <std::uint32_t Degree = 0>
  class View {
   public:
    explicit View(StateLayer& layer) noexcept
        : state_(layer.state_.data()),
          seen_(layer.seen_.data()),
          sources_(layer.routes_.source_of_input.data()),
          begins_(layer.inputs_.begins.data()) {}
    /// The inputs of a node, in the order of Topology::inputs.
    [[nodiscard]] auto inputs(std::uint32_t index) const noexcept {
      if constexpr (Degree != 0)
        return IndexedRange(InputAt{seen_, sources_ + std::size_t{index} * Degree}, Degree);
      else
        return IndexedRange(InputAt{seen_, sources_ + begins_[index]}, begins_[index + 1] - begins_[index]);
    }
    [[nodiscard]] T& state(std::uint32_t index) const noexcept { return state_[index]; }
    void put(std::uint32_t index, const T& value) const noexcept { state_[index] = value; }

   private:
    struct InputAt {
      const T* seen;
      const std::uint32_t* sources;
      [[nodiscard]] Input operator()(std::uint32_t k) const noexcept { return Input(seen + sources[k]); }
    };

    T* state_;
    const T* seen_;
    const std::uint32_t* sources_;
    const std::uint32_t* begins_;
  };

  /// Block view: the value of the k-th input of every node, by index, contiguous. Requires a uniform degree above k.
  /// Valid until the next pull.
  [[nodiscard]] std::span<const T> received(std::uint32_t k) {
    LAXITY_CHECK(k < degree_);
    if (gathers_.empty()) plan_gathers();
    Gather& gather = gathers_[k];
    if (gather.copy.is_view()) return {seen_.data() + gather.copy.view_begin(), state_.size()};
    if (gather.pulls != pulls_) {
      gather.copy.run(seen_.data(), gather.values.data());
      gather.pulls = pulls_;
    }
    return gather.values;
  }

  /// Shows the newest state of all neighbors; with `across` false only that of neighbors in this worker.
  void pull(bool across = true) {
    std::ranges::copy(state_, seen_.begin());
    ++pulls_;
    if (inside_.receives()) inside_.count_pull(1, inside_.touch(), 0);
    if (!across) return;
    for (Neighbor& neighbor : neighbors_) {
      if (!neighbor.link.receives()) continue;
      T* const ghosts = seen_.data() + state_.size() + neighbor.first_ghost;
      const std::size_t bytes = neighbor.link.receive_channels() * sizeof(T);
      neighbor.link.jump([&](std::span<const std::byte> values) {
        detail::require_frame_bytes(values, bytes);
        std::memcpy(ghosts, values.data(), bytes);
      });
    }
  }

  /// Sends to each neighbor the state of the nodes that it reads.
  void flush(bool across = true) noexcept {
    if (inside_.sends()) inside_.count_flush(true);
    if (!across) return;
    for (Neighbor& neighbor : neighbors_) {
      NeighborLink& link = neighbor.link;
      if (!link.is_due()) continue;
      if (send_on_change_ && unchanged(neighbor)) {
        link.count_unchanged();
        continue;
      }
      const bool sent = link.try_send(link.send_channels() * sizeof(T), [&](std::byte* room) {
        neighbor.gather.run(state_.data(), reinterpret_cast<T*>(room));
      });
      neighbor.has_last_sent = sent;  // otherwise the neighbor does not have the values that unchanged() gathered
    }
  }

  /// The state, the inputs and the counts. With send_on_change the first frame after a migration is always sent.
  void serialize(Archive& archive) noexcept {
    archive.values(std::span(state_));
    archive.values(std::span(seen_));
    inside_.serialize(archive);
    for (Neighbor& neighbor : neighbors_) neighbor.link.serialize(archive);
  }

  /// Visits the link to and from every other worker.
  template <class Visit>
  void for_each_link(Visit&& visit) {
    for (Neighbor& neighbor : neighbors_) visit(neighbor.link);
  }

 private:
  struct Neighbor {
    NeighborLink link;
    BlockCopy gather;  // state -> frame
    std::uint32_t first_ghost;
    detail::AlignedVector<T>
        gathered;  // with send_on_change: the values of the last frame, and room for those of the next
    bool has_last_sent = false;
    bool last_is_second = false;  // which half of `gathered` has those of the last frame
  };
  struct Gather {
    BlockCopy copy;
    detail::AlignedVector<T> values;
    std::uint64_t pulls;  // the pull that `values` belong to
  };

  static constexpr std::size_t frame_bytes(std::size_t channels) noexcept {
    return sizeof(PackHeader) + channels * sizeof(T);
  }

  // Whether the neighbor has the values of now. Otherwise they become those of the last frame.
  bool unchanged(Neighbor& neighbor) noexcept {
    const std::size_t channels = neighbor.link.send_channels();
    T* const last = neighbor.gathered.data() + (neighbor.last_is_second ? channels : 0);
    T* const now = neighbor.gathered.data() + (neighbor.last_is_second ? 0 : channels);
    neighbor.gather.run(state_.data(), now);
    if (neighbor.has_last_sent && std::memcmp(now, last, channels * sizeof(T)) == 0) return true;
    neighbor.last_is_second = !neighbor.last_is_second;
    return false;
  }

  void plan_gathers() {
    std::vector<std::uint32_t> index(state_.size());
    for (std::uint32_t k = 0; k < degree_; ++k) {
      for (std::uint32_t i = 0; i < index.size(); ++i) index[i] = routes_.source_of_input[i * degree_ + k];
      BlockCopy copy(index);
      detail::AlignedVector<T> values(copy.is_view() ? 0 : index.size());
      gathers_.push_back({std::move(copy), std::move(values), pulls_ - 1});
    }
  }

  const RowIndex& inputs_;
  NodeRoutes routes_;
  detail::AlignedVector<T> state_;
  detail::AlignedVector<T> seen_;  // as of the last pull: own nodes, then ghosts
  std::uint32_t degree_;
  bool send_on_change_;
  std::uint64_t pulls_ = 0;
  NeighborLink inside_;
  std::vector<Neighbor> neighbors_;
  std::vector<Gather> gathers_;
};

}  // namespace laxity
