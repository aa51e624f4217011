// The two ends of an edge as a node sees them: handles that refer to a slot of a layer.
//
// For every layer whose values differ per edge. Such a layer has local_nodes(), try_put(output slot, value) and the
// readers that EdgeInput calls.
#pragma once

#include <cstdint>

#include "laxity/mesh/layers/indexed_range.hpp"
#include "laxity/mesh/local_nodes.hpp"

namespace laxity {

/// Sends along one edge.
template <class Layer>
class EdgeOutput {
 public:
  EdgeOutput(Layer* layer, std::uint32_t slot) noexcept : layer_(layer), slot_(slot) {}
  /// False: refused because the neighbor's buffer is full. Counted; may be ignored.
  bool try_put(const typename Layer::value_type& message) const { return layer_->try_put(slot_, message); }

 private:
  Layer* layer_;
  std::uint32_t slot_;
};

/// Receives along one edge. A function that the layer does not support does not compile.
template <class Layer>
class EdgeInput {
 public:
  EdgeInput(Layer* layer, std::uint32_t slot) noexcept : layer_(layer), slot_(slot) {}
  /// The newest message as of the last pull; T{} before the first.
  [[nodiscard]] decltype(auto) get() const { return layer_->get(slot_); }
  /// Whether a message arrived on this edge in the last pull.
  [[nodiscard]] bool fresh() const { return layer_->fresh(slot_); }
  /// All messages that arrived on this edge in the last pull (aggregated layers).
  [[nodiscard]] decltype(auto) messages() const
    requires requires(Layer& layer) { layer.messages(0U); }
  {
    return layer_->messages(slot_);
  }
  /// Returns what has accumulated on this edge and resets it (accumulating layers).
  [[nodiscard]] decltype(auto) take() const
    requires requires(Layer& layer) { layer.take(0U); }
  {
    return layer_->take(slot_);
  }

 private:
  Layer* layer_;
  std::uint32_t slot_;
};

/// The view of such a layer that a loop over nodes holds.
template <class Layer>
class EdgeView {
 public:
  explicit EdgeView(Layer& layer) noexcept : layer_(&layer) {}
  /// The ends of one node, in the order of Topology::inputs and Topology::outputs.
  [[nodiscard]] auto inputs(std::uint32_t index) const noexcept {
    return ends<EdgeInput<Layer>>(layer_->local_nodes().inputs(), index);
  }
  [[nodiscard]] auto outputs(std::uint32_t index) const noexcept {
    return ends<EdgeOutput<Layer>>(layer_->local_nodes().outputs(), index);
  }
  /// Sends one message to every output.
  void put(std::uint32_t index, const typename Layer::value_type& message) const {
    for (const auto output : outputs(index)) output.try_put(message);
  }

 private:
  template <class End>
  struct EndAt {
    Layer* layer;
    std::uint32_t first_slot;
    [[nodiscard]] End operator()(std::uint32_t k) const noexcept { return End(layer, first_slot + k); }
  };

  template <class End>
  [[nodiscard]] IndexedRange<EndAt<End>> ends(const RowIndex& slots, std::uint32_t index) const noexcept {
    return {{layer_, slots.begin(index)}, slots.size(index)};
  }

  Layer* layer_;
};

}  // namespace laxity
