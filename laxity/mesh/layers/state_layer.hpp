// A layer that carries the state of every node: one slot per node that another worker hears, all published in each
// update.
//
// The layer holds the state itself, contiguously, so publishing inside the worker is one block copy per pull and
// nothing per edge. Between workers the values that a neighbor hears are gathered straight into the frame.
// Invariants: what inputs show changes in pull() only; on refusal nothing is kept, since the next frame carries newer
//   values.
// Source of the idea of one frame per neighbor and update: Conduit (2021), section 2, "pooling".
// Elsewhere: values that differ per edge (pooled_layer.hpp).
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "laxity/channel/pooled_channels.hpp"
#include "laxity/mesh/layers/aligned_vector.hpp"
#include "laxity/mesh/layers/block_copy.hpp"
#include "laxity/mesh/layers/layer.hpp"

namespace laxity {

/// T is trivially copyable; every node starts with T{}.
template <class T>
  requires(std::is_trivially_copyable_v<T> && alignof(T) <= 8)
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
    links_.reserve(routes_.neighbors.size());
    for (NodeRoutes::Neighbor& neighbor : routes_.neighbors) {
      const auto send = static_cast<std::uint32_t>(neighbor.send.size());
      links_.push_back(
          {NeighborLink(setup, neighbor.worker, send, neighbor.ghosts, frame_bytes(send), frame_bytes(neighbor.ghosts)),
           BlockCopy(neighbor.send),
           neighbor.first_ghost,
           0,
           {}});
      neighbor.send = {};
    }
  }

  /// Block view: the values that the nodes, by index, show to themselves and from the next pull on to their neighbors.
  [[nodiscard]] std::span<T> state() noexcept { return state_; }

  /// What a node hears from one neighbor.
  class Input {
   public:
    explicit Input(const T* seen) noexcept : seen_(seen) {}
    [[nodiscard]] const T& get() const noexcept { return *seen_; }

   private:
    const T* seen_;
  };

  /// The inputs of a node, in the order of Topology::inputs. With Degree != 0 their number is known to the compiler.
  template <std::uint32_t Degree = 0>
  class Inputs {
   public:
    Inputs(const T* seen, const std::uint32_t* sources, std::uint32_t size) noexcept
        : seen_(seen), sources_(sources), size_(size) {}
    [[nodiscard]] std::uint32_t size() const noexcept { return Degree != 0 ? Degree : size_; }
    [[nodiscard]] Input operator[](std::uint32_t k) const noexcept { return Input(seen_ + sources_[k]); }

    class Iterator {
     public:
      Iterator(const T* seen, const std::uint32_t* at) noexcept : seen_(seen), at_(at) {}
      Input operator*() const noexcept { return Input(seen_ + *at_); }
      Iterator& operator++() noexcept { return ++at_, *this; }
      bool operator==(const Iterator& other) const noexcept { return at_ == other.at_; }

     private:
      const T* seen_;
      const std::uint32_t* at_;
    };
    [[nodiscard]] Iterator begin() const noexcept { return {seen_, sources_}; }
    [[nodiscard]] Iterator end() const noexcept { return {seen_, sources_ + size()}; }

   private:
    const T* seen_;
    const std::uint32_t* sources_;
    std::uint32_t size_;
  };

  /// What a loop over nodes holds of this layer: plain pointers, which stay in registers.
  template <std::uint32_t Degree = 0>
  class View {
   public:
    explicit View(StateLayer& layer) noexcept
        : state_(layer.state_.data()),
          seen_(layer.seen_.data()),
          sources_(layer.routes_.source_of_input.data()),
          begins_(layer.inputs_.begins.data()) {}
    [[nodiscard]] Inputs<Degree> inputs(std::uint32_t index) const noexcept {
      if constexpr (Degree != 0) return {seen_, sources_ + std::size_t{index} * Degree, Degree};
      return {seen_, sources_ + begins_[index], begins_[index + 1] - begins_[index]};
    }
    [[nodiscard]] T& state(std::uint32_t index) const noexcept { return state_[index]; }
    void put(std::uint32_t index, const T& value) const noexcept { state_[index] = value; }

   private:
    T* state_;
    const T* seen_;
    const std::uint32_t* sources_;
    const std::uint32_t* begins_;
  };

  /// Block view: what every node hears from its k-th input, by index, contiguous. Needs a uniform degree > k. Valid
  /// until the next pull.
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

  /// The newest of everything; with `across` false only what comes from this worker's own nodes.
  void pull(bool across = true) noexcept {
    std::ranges::copy(state_, seen_.begin());
    ++pulls_;
    if (inside_.receives()) inside_.count_pull(1, inside_.touch(), 0);
    if (!across) return;
    for (Link& link : links_) {
      if (!link.end.receives()) continue;
      AnyReceiver& receiver = link.end.receiver();
      const std::size_t moved = receiver.jump();
      PackHeader header{};
      if (moved != 0) {
        const std::byte* frame = receiver.frame().data();
        std::memcpy(&header, frame, sizeof header);
        std::memcpy(seen_.data() + state_.size() + link.first_ghost, frame + sizeof header,
                    link.end.receive_channels() * sizeof(T));
      }
      link.end.count_pull(moved, header.touch, moved != 0 ? receiver.superseded() : 0);
    }
  }

  /// Sends what the neighbors hear.
  void flush(bool across = true) noexcept {
    if (inside_.sends()) inside_.count_flush(true);
    if (!across) return;
    for (Link& link : links_) {
      if (!link.end.is_due()) continue;
      if (send_on_change_ && unchanged(link)) {
        link.end.count_unchanged();
        continue;
      }
      AnySender& sender = link.end.sender();
      std::byte* room = sender.try_claim();
      link.end.count_flush(room != nullptr);
      if (room == nullptr) {
        link.last_sent.clear();  // what the neighbor has is older than what we compared with
        continue;
      }
      link.messages += link.end.send_channels();
      const PackHeader header{link.end.touch(), link.messages};
      std::memcpy(room, &header, sizeof header);
      link.gather.run(state_.data(), reinterpret_cast<T*>(room + sizeof header));
      sender.publish(frame_bytes(link.end.send_channels()));
    }
  }

  /// The state, what was heard, and the counts. With send_on_change the first frame after a move is sent in any case.
  void serialize(Archive& archive) noexcept {
    archive.values(std::span(state_));
    archive.values(std::span(seen_));
    inside_.serialize(archive);
    for (Link& link : links_) {
      link.end.serialize(archive);
      archive.value(link.messages);
    }
  }

  /// Visits the link to and from every other worker.
  template <class Visit>
  void for_each_link(Visit&& visit) {
    for (Link& link : links_) visit(link.end);
  }

 private:
  struct Link {
    NeighborLink end;
    BlockCopy gather;  // state -> frame
    std::uint32_t first_ghost;
    std::uint32_t messages;
    std::vector<T> last_sent;  // with send_on_change: the values of the last frame; empty: none
  };
  struct Gather {
    BlockCopy copy;
    detail::AlignedVector<T> values;
    std::uint64_t pulls;  // pull whose values these are
  };

  static constexpr std::size_t frame_bytes(std::size_t channels) noexcept {
    return sizeof(PackHeader) + channels * sizeof(T);
  }

  bool unchanged(Link& link) {
    std::vector<T> now(link.end.send_channels());
    link.gather.run(state_.data(), now.data());
    if (!link.last_sent.empty() && std::memcmp(now.data(), link.last_sent.data(), now.size() * sizeof(T)) == 0)
      return true;
    link.last_sent = std::move(now);
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
  NeighborLink inside_;  // the edges inside the worker, all together
  std::vector<Link> links_;
  std::vector<Gather> gathers_;
};

}  // namespace laxity
