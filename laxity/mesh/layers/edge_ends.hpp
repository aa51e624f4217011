// The two ends of an edge as a node sees them: thin handles, the layer does the work.
//
// Used by every layer whose values differ per edge. A layer gives local_nodes(), try_put(output slot, value) and the
// readers named below.
#pragma once

#include <cstdint>

#include "laxity/mesh/local_nodes.hpp"

namespace laxity {

/// Sends along one edge.
template <class Layer>
class EdgeOutput {
 public:
  EdgeOutput(Layer* layer, std::uint32_t slot) noexcept : layer_(layer), slot_(slot) {}
  /// False: refused (backlog). Counted; may be ignored.
  bool try_put(const typename Layer::value_type& message) const { return layer_->try_put(slot_, message); }

 private:
  Layer* layer_;
  std::uint32_t slot_;
};

/// Hears along one edge. What a layer cannot do is not there at compile time.
template <class Layer>
class EdgeInput {
 public:
  EdgeInput(Layer* layer, std::uint32_t slot) noexcept : layer_(layer), slot_(slot) {}
  /// The newest message as of the last pull; T{} before any.
  [[nodiscard]] decltype(auto) get() const { return layer_->get(slot_); }
  /// Whether the last pull brought something on this edge.
  [[nodiscard]] bool fresh() const { return layer_->fresh(slot_); }
  /// All messages that the last pull brought on this edge (aggregated layers).
  [[nodiscard]] decltype(auto) messages() const
    requires requires(Layer& layer) { layer.messages(0U); }
  {
    return layer_->messages(slot_);
  }
  /// What has accumulated on this edge, leaving nothing behind (accumulating layers).
  [[nodiscard]] decltype(auto) take() const
    requires requires(Layer& layer) { layer.take(0U); }
  {
    return layer_->take(slot_);
  }

 private:
  Layer* layer_;
  std::uint32_t slot_;
};

/// The ends of one node: consecutive slots, in the order of Topology::inputs or outputs.
template <class End, class Layer>
class EdgeEnds {
 public:
  EdgeEnds(Layer* layer, std::uint32_t begin, std::uint32_t size) noexcept
      : layer_(layer), begin_(begin), size_(size) {}
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] End operator[](std::uint32_t k) const noexcept { return End(layer_, begin_ + k); }

  class Iterator {
   public:
    Iterator(Layer* layer, std::uint32_t slot) noexcept : layer_(layer), slot_(slot) {}
    End operator*() const noexcept { return End(layer_, slot_); }
    Iterator& operator++() noexcept { return ++slot_, *this; }
    bool operator==(const Iterator& other) const noexcept { return slot_ == other.slot_; }

   private:
    Layer* layer_;
    std::uint32_t slot_;
  };
  [[nodiscard]] Iterator begin() const noexcept { return {layer_, begin_}; }
  [[nodiscard]] Iterator end() const noexcept { return {layer_, begin_ + size_}; }

 private:
  Layer* layer_;
  std::uint32_t begin_;
  std::uint32_t size_;
};

/// What a loop over nodes holds of a layer.
template <class Layer>
class EdgeView {
 public:
  explicit EdgeView(Layer& layer) noexcept : layer_(&layer) {}
  [[nodiscard]] EdgeEnds<EdgeInput<Layer>, Layer> inputs(std::uint32_t index) const noexcept {
    return of_row<EdgeInput<Layer>>(layer_->local_nodes().inputs(), index);
  }
  [[nodiscard]] EdgeEnds<EdgeOutput<Layer>, Layer> outputs(std::uint32_t index) const noexcept {
    return of_row<EdgeOutput<Layer>>(layer_->local_nodes().outputs(), index);
  }
  /// The same message to every output.
  void put(std::uint32_t index, const typename Layer::value_type& message) const {
    for (const auto output : outputs(index)) output.try_put(message);
  }

 private:
  template <class End>
  [[nodiscard]] EdgeEnds<End, Layer> of_row(const RowIndex& slots, std::uint32_t index) const noexcept {
    return {layer_, slots.begin(index), slots.size(index)};
  }

  Layer* layer_;
};

}  // namespace laxity
