// Graph coloring on a mesh: one worker's part, updated node by node or in blocks.
//
// A template over the layer that carries the colors, to compare packings: StateLayer<NodeColor> (one slot per node),
// PooledLayer<NodeColor>, AggregatedLayer<NodeColor>, PlainLayer<NodeColor> (a message per edge).
// Invariants: both views, and the bare loop in benchmarks/coloring, compute the same colors bit by bit from one seed.
// Threads: one worker.
// Elsewhere: the learning rule (color_learner.hpp), conflicts by block (conflicts.hpp).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "laxity/clock/clock.hpp"
#include "laxity/mesh/layers/state_layer.hpp"
#include "laxity/mesh/mesh.hpp"
#include "workloads/coloring/color_learner.hpp"
#include "workloads/coloring/conflicts.hpp"

namespace laxity {

template <class Layer>
class Coloring {
 public:
  /// Draws the first colors and sends them.
  Coloring(const Mesh<Layer>& mesh, Connector& connector, const ColoringOptions& options)
      : Coloring(mesh.part(connector), options) {
    for (NodeColor& color : colors()) color = learner_.initial();
    publish();
  }
  /// Continues from the state of another worker.
  Coloring(const Mesh<Layer>& mesh, Connector& connector, const ColoringOptions& options, Archive& arrived)
      : Coloring(mesh.part(connector), options) {
    serialize(arrived);
  }

  /// All state that an update changes, for a part that migrates to another worker.
  void serialize(Archive& archive)
    requires Serializable<Layer>
  {
    part_.serialize(archive);
    learner_.serialize(archive);
    archive.value(added_work_);
  }

  /// The colors of this worker's nodes, by index.
  [[nodiscard]] std::span<NodeColor> colors() noexcept {
    if constexpr (keeps_state) {
      return part_.layer().state();
    } else {
      return own_;
    }
  }
  [[nodiscard]] MeshPart<Layer>& part() noexcept { return part_; }

  /// One update of every node, in node view.
  void update() {
    part_.pull();
    const std::span<NodeColor> own = colors();
    part_.for_each_node([&](auto node) {
      const std::uint32_t i = node.index();
      for (const auto input : node.inputs()) {
        if (input.get() == own[i]) [[unlikely]] {
          own[i] = learner_.redraw(i, own[i]);
          break;
        }
      }
      if constexpr (!keeps_state) node.put(own[i]);
    });
    learner_.end_update();
    do_added_work();
    part_.flush();
  }

  /// One update of every node, in block view: finds conflicts for whole vectors of nodes. Requires a uniform degree.
  void update_blocks()
    requires std::same_as<Layer, StateLayer<NodeColor>>
  {
    part_.pull();
    const std::uint32_t degree = part_.local_nodes().uniform_degree();
    heard_.resize(degree);
    for (std::uint32_t k = 0; k < degree; ++k) heard_[k] = part_.layer().received(k).data();
    conflicts_.resize((part_.size() + 63) / 64);
    const std::span<NodeColor> own = colors();
    find_conflicts(own, heard_, conflicts_);
    for (std::uint32_t word = 0; word < conflicts_.size(); ++word) {
      for (std::uint64_t left = conflicts_[word]; left != 0; left &= left - 1) {
        const std::uint32_t i = 64 * word + static_cast<std::uint32_t>(std::countr_zero(left));
        own[i] = learner_.redraw(i, own[i]);
      }
    }
    learner_.end_update();
    do_added_work();
    part_.flush();
  }

  /// Receives and sends without changing a color.
  void exchange() {
    part_.pull();
    publish();
  }

 private:
  static constexpr bool keeps_state = requires(Layer& layer) { layer.state(); };

  Coloring(MeshPart<Layer> part, const ColoringOptions& options)
      : part_(std::move(part)),
        learner_(part_.size(), options, part_.worker()),
        work_(options.work),
        jitter_ns_(options.jitter_ns),
        while_updating_(options.while_updating),
        added_work_(static_cast<std::uint32_t>(options.seed + part_.worker())) {
    if constexpr (!keeps_state) own_.resize(part_.size());
  }

  void publish() {
    if constexpr (!keeps_state)
      for (auto node : part_.nodes()) node.put(own_[node.index()]);
    part_.flush();
  }

  void do_added_work() {
    for (std::uint64_t i = 0; i < work_; ++i) added_work_();
    asm volatile("" : : "g"(&added_work_) : "memory");  // keeps the draws, whose result is unused
    if (while_updating_) while_updating_();
    if (jitter_ns_ == 0) return;
    const SteadyClock clock;
    const double uniform = (static_cast<double>(added_work_()) + 0.5) * 0x1p-32;
    const std::int64_t until_ns = clock.now_ns() - std::llround(static_cast<double>(jitter_ns_) * std::log(uniform));
    while (clock.now_ns() < until_ns) {
    }
  }

  MeshPart<Layer> part_;
  ColorLearner learner_;
  std::vector<NodeColor> own_;  // unless the layer holds the colors itself
  std::vector<const NodeColor*> heard_;
  std::vector<std::uint64_t> conflicts_;  // bit per node
  std::uint64_t work_;
  std::int64_t jitter_ns_;
  std::function<void()> while_updating_;
  std::mt19937 added_work_;
};

}  // namespace laxity
