// A computation on a directed graph whose nodes exchange messages on one or more layers, distributed over workers.
//
//   Mesh<StateLayer<float>, AggregatedLayer<Packet>> mesh(topology, partition);
//   auto part = mesh.part(connector);          // this worker's nodes and links
//   part.pull();                               // shows the newest messages of every layer
//   for (auto node : part.nodes()) ...         // node view
//   part.flush();                              // sends what was put
//
// Threads: a Mesh is read by all workers; a MeshPart belongs to one.
// Elsewhere: what a layer does with its messages (layers/), where links come from (connector.hpp, worker_connector.hpp,
//   replay.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "laxity/check.hpp"
#include "laxity/error.hpp"
#include "laxity/mesh/connector.hpp"
#include "laxity/mesh/layers/indexed_range.hpp"
#include "laxity/mesh/layers/layer_options.hpp"
#include "laxity/mesh/layers/neighbor_link.hpp"
#include "laxity/mesh/local_nodes.hpp"
#include "laxity/mesh/migration/archive.hpp"
#include "laxity/mesh/partitions/partition.hpp"
#include "laxity/mesh/reactions/reaction.hpp"
#include "laxity/mesh/topology.hpp"
#include "laxity/metrics/quality_meter.hpp"

namespace laxity {

/// A node of this worker: its numbers, and a view of every layer.
template <class... Views>
class MeshNode {
 public:
  MeshNode(const std::uint32_t* ids, std::uint32_t index, const std::tuple<Views...>& views) noexcept
      : ids_(ids), index_(index), views_(views) {}

  /// The node's number in the topology.
  [[nodiscard]] std::uint32_t id() const noexcept { return ids_[index_]; }
  /// The node's index among this worker's nodes, for arrays of the workload.
  [[nodiscard]] std::uint32_t index() const noexcept { return index_; }

  /// The edges that lead to this node, a std::ranges::input_range in the order of Topology::inputs: for k below the
  /// reciprocal degree inputs()[k] and outputs()[k] are the same neighbor.
  template <std::size_t Layer = 0>
  [[nodiscard]] auto inputs() const noexcept {
    return std::get<Layer>(views_).inputs(index_);
  }
  template <std::size_t Layer = 0>
  [[nodiscard]] auto outputs() const noexcept {
    return std::get<Layer>(views_).outputs(index_);
  }
  /// Sends one message to every output; on a StateLayer, sets the node's state.
  template <std::size_t Layer = 0, class T>
  void put(const T& message) const {
    std::get<Layer>(views_).put(index_, message);
  }
  /// This node's state on a StateLayer.
  template <std::size_t Layer = 0>
  [[nodiscard]] auto& state() const noexcept {
    return std::get<Layer>(views_).state(index_);
  }

 private:
  const std::uint32_t* ids_;
  std::uint32_t index_;
  std::tuple<Views...> views_;
};

/// The nodes of one worker and their links; of one of its parts if a worker has several.
template <class... Layers>
class MeshPart {
 public:
  MeshPart(const Topology& topology, const Partition& partition, Connector& connector,
           const std::array<LayerOptions, sizeof...(Layers)>& options)
      : local_nodes_(std::make_unique<LocalNodes>(topology, partition, connector.worker())),
        layers_(make_layers(topology, partition, connector, options, std::index_sequence_for<Layers...>{})) {
    for (std::size_t i = 0; i < options.size(); ++i) {
      LAXITY_CHECK(options[i].every != 0);
      every_[i] = options[i].every;
      reactions_[i] = options[i].reactions;
    }
  }

  [[nodiscard]] std::uint32_t worker() const noexcept { return local_nodes_->worker(); }
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(local_nodes_->nodes().size()); }
  [[nodiscard]] std::uint32_t id(std::uint32_t index) const noexcept { return local_nodes_->id(index); }
  [[nodiscard]] const LocalNodes& local_nodes() const noexcept { return *local_nodes_; }

  template <std::size_t I = 0>
  [[nodiscard]] auto& layer() noexcept {
    return *std::get<I>(layers_);
  }

  /// Begins an update: every layer that is due shows the newest messages.
  void pull() {
    for_each_due_layer([this](auto& layer) { layer.pull(across_); });
  }

  /// Ends an update: every layer that is due sends what was put.
  void flush() {
    for_each_due_layer([this](auto& layer) { layer.flush(across_); });
    ++update_;
  }

  /// Lets the reactions of every layer adapt its links to the quality of a new window. Without a new window the cost is
  /// one comparison.
  void react(const WorkerQuality& seen) {
    if (seen.window == reacted_to_) return;
    reacted_to_ = seen.window;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (react_on<I>(seen), ...);
    }(std::index_sequence_for<Layers...>{});
  }

  /// Serializes the state of all layers, for a part that migrates to another worker (migration/migratable_parts.hpp).
  /// StateLayer supports it. Throws UsageError if a layer has reactions: they adapt links between workers, not parts.
  void serialize(Archive& archive)
    requires(Serializable<Layers> && ...)
  {
    for (const auto& reactions : reactions_)
      if (!reactions.empty())
        throw UsageError("a layer of parts that migrate cannot have reactions that adapt its links");
    archive.value(update_);
    std::apply([&](auto&... layers) { (layers->serialize(archive), ...); }, layers_);
  }

  /// Serializes what the nodes see and have put inside the worker, to continue later with links that are new: what is on
  /// its way between workers is not part of it. Between updates; for layers of edges with several values.
  void serialize_inside(Archive& archive) {
    archive.value(update_);
    std::apply([&](auto&... layers) { (layers->serialize_inside(archive), ...); }, layers_);
  }

  /// With false nothing is sent to or received from other workers (asynchronicity mode 4); edges inside the worker
  /// work.
  void communicate(bool across) noexcept { across_ = across; }

  /// The nodes of this part, a std::ranges::input_range in ascending order of id.
  [[nodiscard]] auto nodes() noexcept { return nodes_of_degree<0>(); }

  /// Calls update(node) for every node. Faster than a loop over nodes() if all nodes have the same small degree,
  /// because the compiler unrolls the loop over inputs. `update` is a generic callable: [](auto node) { ... }.
  template <class Update>
  void for_each_node(Update&& update) {
    switch (local_nodes_->uniform_degree()) {
      case 1:
        return visit_all<1>(update);
      case 2:
        return visit_all<2>(update);
      case 4:
        return visit_all<4>(update);
      case 6:
        return visit_all<6>(update);
      default:
        return visit_all<0>(update);
    }
  }

 private:
  template <std::size_t... I>
  auto make_layers(const Topology& topology, const Partition& partition, Connector& connector,
                   const std::array<LayerOptions, sizeof...(Layers)>& options, std::index_sequence<I...>) {
    return std::tuple{std::make_unique<Layers>(LayerSetup{topology, partition, *local_nodes_, connector,
                                                          static_cast<std::uint32_t>(I), options[I],
                                                          payload_type_of<typename Layers::value_type, Layers>()})...};
  }

  template <std::size_t I>
  void react_on(const WorkerQuality& seen) {
    if (reactions_[I].empty()) return;
    std::get<I>(layers_)->for_each_link([&](NeighborLink& own) {
      for (const LinkQuality& link : seen.links) {
        if (link.layer != I || link.neighbor != own.worker()) continue;
        for (const auto& reaction : reactions_[I]) reaction->react(seen, link, *own.tuning());
      }
    });
  }

  template <std::uint32_t Degree>
  struct NodeAt {
    const std::uint32_t* ids;
    std::tuple<typename Layers::template View<Degree>...> views;
    [[nodiscard]] auto operator()(std::uint32_t index) const noexcept { return MeshNode(ids, index, views); }
  };

  template <std::uint32_t Degree>
  [[nodiscard]] auto nodes_of_degree() noexcept {
    auto views = std::apply(
        [](auto&... layers) { return std::tuple{typename Layers::template View<Degree>(*layers)...}; }, layers_);
    return IndexedRange(NodeAt<Degree>{local_nodes_->nodes().data(), views}, size());
  }

  template <std::uint32_t Degree, class Update>
  void visit_all(Update& update) {
    for (auto node : nodes_of_degree<Degree>()) update(node);
  }

  template <class Do>
  void for_each_due_layer(Do&& act) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((every_[I] == 1 || update_ % every_[I] == 0 ? act(*std::get<I>(layers_)) : void()), ...);
    }(std::index_sequence_for<Layers...>{});
  }

  std::unique_ptr<LocalNodes> local_nodes_;
  std::tuple<std::unique_ptr<Layers>...> layers_;
  std::array<std::uint32_t, sizeof...(Layers)> every_;
  std::array<std::vector<std::shared_ptr<const Reaction>>, sizeof...(Layers)> reactions_;
  std::uint64_t reacted_to_ = 0;  // the last window
  std::uint64_t update_ = 0;
  bool across_ = true;
};

/// The description of a mesh, the same for every worker. Topology and partition must outlive it.
template <class... Layers>
class Mesh {
 public:
  Mesh(const Topology& topology, const Partition& partition, std::array<LayerOptions, sizeof...(Layers)> options = {})
      : topology_(topology), partition_(partition), options_(options) {}

  [[nodiscard]] const Topology& topology() const noexcept { return topology_; }
  [[nodiscard]] const Partition& partition() const noexcept { return partition_; }

  /// Builds the part of the connector's worker. Every worker of the partition builds its own; a link works once both
  /// ends are built.
  [[nodiscard]] MeshPart<Layers...> part(Connector& connector) const {
    return {topology_, partition_, connector, options_};
  }

 private:
  const Topology& topology_;
  const Partition& partition_;
  std::array<LayerOptions, sizeof...(Layers)> options_;
};

}  // namespace laxity
