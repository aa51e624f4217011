// A computation on a directed graph whose nodes exchange messages on one or more layers, spread over workers.
//
//   Mesh<StateLayer<float>, AggregatedLayer<Packet>> mesh(topology, partition);
//   auto part = mesh.part(connector);          // this worker's nodes and links
//   part.pull();                               // the newest of every layer
//   for (auto node : part.nodes()) ...         // node view
//   part.flush();                              // sends
//
// Threads: a Mesh is read by all workers; a MeshPart belongs to one.
// Elsewhere: what a layer does with its messages (state_layer.hpp and the other *_layer.hpp), where links come from
//   (connector.hpp, worker_connector.hpp, replay.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "laxity/check.hpp"
#include "laxity/error.hpp"
#include "laxity/mesh/layers/layer.hpp"
#include "laxity/mesh/local_nodes.hpp"
#include "laxity/mesh/migration/archive.hpp"
#include "laxity/mesh/partitions/partition.hpp"
#include "laxity/mesh/topology.hpp"

namespace laxity {

/// A node of this worker: its place, and a view of every layer.
template <class... Views>
class MeshNode {
 public:
  MeshNode(const std::uint32_t* ids, std::uint32_t index, const std::tuple<Views...>& views) noexcept
      : ids_(ids), index_(index), views_(views) {}

  /// The node's number in the topology.
  [[nodiscard]] std::uint32_t id() const noexcept { return ids_[index_]; }
  /// The node's place among this worker's nodes: where its own data lie in arrays of the workload.
  [[nodiscard]] std::uint32_t index() const noexcept { return index_; }

  /// Ends of the edges that lead here, in the order of Topology::inputs: for k below the reciprocal degree inputs()[k]
  /// and outputs()[k] are the same neighbor.
  template <std::size_t Layer = 0>
  [[nodiscard]] auto inputs() const noexcept {
    return std::get<Layer>(views_).inputs(index_);
  }
  template <std::size_t Layer = 0>
  [[nodiscard]] auto outputs() const noexcept {
    return std::get<Layer>(views_).outputs(index_);
  }
  /// Sends one message to every output; on a StateLayer, sets the node's value.
  template <std::size_t Layer = 0, class T>
  void put(const T& message) const {
    std::get<Layer>(views_).put(index_, message);
  }
  /// This node's value on a StateLayer.
  template <std::size_t Layer = 0>
  [[nodiscard]] auto& state() const noexcept {
    return std::get<Layer>(views_).state(index_);
  }

 private:
  const std::uint32_t* ids_;
  std::uint32_t index_;
  std::tuple<Views...> views_;
};

/// The nodes of one worker, or one of several parts that a worker has, and their links.
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

  /// Begins an update: every layer whose turn it is shows the newest that has come.
  void pull() {
    for_each_due_layer([this](auto& layer) { layer.pull(across_); });
  }

  /// Ends an update: every layer whose turn it is sends what was put.
  void flush() {
    for_each_due_layer([this](auto& layer) { layer.flush(across_); });
    ++update_;
  }

  /// Once for each new window of what a worker sees, lets the reactions of every layer turn its links; else costs a
  /// comparison.
  void react(const WorkerQuality& seen) {
    if (seen.window == reacted_to_) return;
    reacted_to_ = seen.window;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (react_on<I>(seen), ...);
    }(std::index_sequence_for<Layers...>{});
  }

  /// Names the state of all layers, for a part that moves to another worker (migratable_parts.hpp). Of layers that can, which
  /// are those of kind State. Throws UsageError if a layer has reactions: they turn links to workers, and not to parts.
  void serialize(Archive& archive)
    requires(Serializable<Layers> && ...)
  {
    for (const auto& reactions : reactions_)
      if (!reactions.empty()) throw UsageError("a layer of parts that move has no reactions that turn its links");
    archive.value(update_);
    std::apply([&](auto&... layers) { (layers->serialize(archive), ...); }, layers_);
  }

  /// With false nothing is sent to or taken from other workers (asynchronicity mode 4); edges inside go on.
  void communicate(bool across) noexcept { across_ = across; }

  class Nodes {
   public:
    explicit Nodes(MeshPart& part) noexcept : part_(part) {}
    class Iterator {
     public:
      Iterator(MeshPart& part, std::uint32_t index) noexcept
          : ids_(part.local_nodes_->nodes().data()), index_(index), views_(part.views<0>()) {}
      auto operator*() const noexcept { return MeshNode(ids_, index_, views_); }
      Iterator& operator++() noexcept { return ++index_, *this; }
      bool operator==(const Iterator& other) const noexcept { return index_ == other.index_; }

     private:
      const std::uint32_t* ids_;
      std::uint32_t index_;
      std::tuple<typename Layers::template View<0>...> views_;
    };
    [[nodiscard]] Iterator begin() const noexcept { return {part_, 0}; }
    [[nodiscard]] Iterator end() const noexcept { return {part_, part_.size()}; }

   private:
    MeshPart& part_;
  };
  [[nodiscard]] Nodes nodes() noexcept { return Nodes(*this); }

  /// Calls update(node) for every node, as a loop over nodes() does; faster where all nodes have the same small degree,
  /// because the loop over inputs unrolls. `update` is a generic callable: [](auto node) { ... }.
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
    return std::tuple{std::make_unique<Layers>(
        LayerSetup{topology, partition, *local_nodes_, connector, static_cast<std::uint32_t>(I), options[I]})...};
  }

  template <std::size_t I>
  void react_on(const WorkerQuality& seen) {
    if (reactions_[I].empty()) return;
    std::get<I>(layers_)->for_each_link([&](NeighborLink& end) {
      for (const LinkQuality& link : seen.links) {
        if (link.layer != I || link.neighbor != end.worker()) continue;
        for (const auto& reaction : reactions_[I]) reaction->react(seen, link, *end.tuning());
      }
    });
  }

  template <std::uint32_t Degree>
  [[nodiscard]] auto views() noexcept {
    return std::apply([](auto&... layers) { return std::tuple{typename Layers::template View<Degree>(*layers)...}; },
                      layers_);
  }

  template <std::uint32_t Degree, class Update>
  void visit_all(Update& update) {
    const std::uint32_t count = size();
    const std::uint32_t* ids = local_nodes_->nodes().data();
    const auto all = views<Degree>();
    for (std::uint32_t i = 0; i < count; ++i) update(MeshNode(ids, i, all));
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
  std::uint64_t reacted_to_ = 0;  // number of the window
  std::uint64_t update_ = 0;
  bool across_ = true;
};

/// The whole: what every worker must know alike. Topology and partition must outlive it.
template <class... Layers>
class Mesh {
 public:
  Mesh(const Topology& topology, const Partition& partition, std::array<LayerOptions, sizeof...(Layers)> options = {})
      : topology_(topology), partition_(partition), options_(options) {}

  [[nodiscard]] const Topology& topology() const noexcept { return topology_; }
  [[nodiscard]] const Partition& partition() const noexcept { return partition_; }

  /// Builds the part of the connector's worker. Every worker of the partition builds its own; links appear as both ends
  /// come.
  [[nodiscard]] MeshPart<Layers...> part(Connector& connector) const {
    return {topology_, partition_, connector, options_};
  }

 private:
  const Topology& topology_;
  const Partition& partition_;
  std::array<LayerOptions, sizeof...(Layers)> options_;
};

}  // namespace laxity
