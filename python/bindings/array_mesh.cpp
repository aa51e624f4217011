#include "python/bindings/array_mesh.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "laxity/channel/damaged_frame.hpp"
#include "laxity/channel/pack_header.hpp"
#include "laxity/launch/worker.hpp"
#include "laxity/mesh/graph_formats/graph_file.hpp"
#include "laxity/mesh/layers/block_copy.hpp"
#include "laxity/mesh/layers/neighbor_link.hpp"
#include "laxity/mesh/local_nodes.hpp"
#include "laxity/mesh/partitions/partition.hpp"
#include "laxity/mesh/topologies/generators.hpp"
#include "laxity/mesh/topology.hpp"
#include "laxity/mesh/worker_connector.hpp"
#include "python/bindings/array_channel.hpp"
#include "python/bindings/array_type.hpp"
#include "python/bindings/writable_bytes.hpp"

namespace laxity::python {
namespace {

// The arrays of a layer in one part, all of the same elements.
struct LayerArrays {
  WritableBytes state;     ///< of the nodes of this part
  WritableBytes seen;      ///< as of the last pull: of the nodes of this part, then of those of others that it reads
  WritableBytes received;  ///< input k of every node, for k = 0, 1, ..., if all nodes have as many; else empty
};

class ArrayLayer {
 public:
  ArrayLayer(const LayerSetup& setup, const NodeRoutes& routes, std::size_t element_bytes, LayerArrays arrays)
      : element_bytes_(element_bytes),
        arrays_(std::move(arrays)),
        inside_(NeighborLink::inside_worker(setup, routes.has_inside_edges)) {
    for (const NodeRoutes::Neighbor& neighbor : routes.neighbors) {
      const auto send = static_cast<std::uint32_t>(neighbor.send.size());
      neighbors_.push_back({NeighborLink(setup, neighbor.worker, setup.packed(send, frame_bytes(send)),
                                         setup.packed(neighbor.ghosts, frame_bytes(neighbor.ghosts))),
                            BlockCopy(neighbor.send), neighbor.first_ghost});
    }
  }

  void pull() {
    std::memcpy(arrays_.seen.data(), arrays_.state.data(), arrays_.state.size());
    ++pulls_;
    if (inside_.receives()) inside_.count_pull(1, inside_.touch(), 0);
    for (Neighbor& neighbor : neighbors_) {
      if (!neighbor.link.receives()) continue;
      std::byte* const ghosts = arrays_.seen.data() + arrays_.state.size() + neighbor.first_ghost * element_bytes_;
      const std::size_t bytes = neighbor.link.receive_channels() * element_bytes_;
      neighbor.link.jump([&](Bytes values) {
        detail::require_frame_bytes(values, bytes);
        std::memcpy(ghosts, values.data(), bytes);
      });
    }
  }

  void flush() {
    if (inside_.sends()) inside_.count_flush(true);
    for (Neighbor& neighbor : neighbors_) {
      NeighborLink& link = neighbor.link;
      if (!link.sends()) continue;
      link.try_send(link.send_channels() * element_bytes_,
                    [&](std::byte* room) { neighbor.gather.run(arrays_.state.data(), room, element_bytes_); });
    }
  }

  // Writes what the last pull has shown to `received`. `inputs` has node i's input k at i * degree + k.
  void receive(const std::vector<std::uint32_t>& inputs, std::uint32_t degree) {
    if (received_ == pulls_ || degree == 0) return;
    if (received_ == never) {
      std::vector<std::uint32_t> by_input;
      by_input.reserve(inputs.size());
      for (std::uint32_t k = 0; k < degree; ++k)
        for (std::size_t slot = k; slot < inputs.size(); slot += degree) by_input.push_back(inputs[slot]);
      all_inputs_ = BlockCopy(by_input);
    }
    all_inputs_.run(arrays_.seen.data(), arrays_.received.data(), element_bytes_);
    received_ = pulls_;
  }

 private:
  struct Neighbor {
    NeighborLink link;
    BlockCopy gather;  // state -> frame
    std::uint32_t first_ghost;
  };
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  [[nodiscard]] std::size_t frame_bytes(std::size_t channels) const noexcept {
    return sizeof(PackHeader) + channels * element_bytes_;
  }

  std::size_t element_bytes_;
  LayerArrays arrays_;
  NeighborLink inside_;
  std::vector<Neighbor> neighbors_;
  BlockCopy all_inputs_;  // seen -> received
  std::uint64_t pulls_ = 0;
  std::uint64_t received_ = never;  // the pull that `received` shows
};

// A graph and which worker has which of its nodes.
class ArrayMesh {
 public:
  ArrayMesh(Topology topology, Partition partition)
      : topology_(std::move(topology)), partition_(std::move(partition)) {}

  [[nodiscard]] const Topology& topology() const noexcept { return topology_; }
  [[nodiscard]] const Partition& partition() const noexcept { return partition_; }

 private:
  Topology topology_;
  Partition partition_;
};

// The nodes of one worker. The mesh and the worker outlive it.
class ArrayPart {
 public:
  ArrayPart(const ArrayMesh& mesh, Worker& worker, std::uint32_t first_layer)
      : mesh_(mesh),
        worker_(worker),
        next_layer_(first_layer),
        local_nodes_(mesh.topology(), mesh.partition(), static_cast<std::uint32_t>(worker.id())),
        routes_(node_routes(local_nodes_, mesh.topology(), mesh.partition())) {}

  ArrayPart(const ArrayPart&) = delete;
  ArrayPart& operator=(const ArrayPart&) = delete;

  /// Adds a layer whose elements are of the type of `element`; `layer` counts from 0.
  void add_layer(const nb::object& element, nb::handle state, nb::handle seen, nb::handle received, std::size_t depth,
                 const std::string& overflow) {
    const ArrayType type(element);
    WorkerConnector connector(worker_);
    const LayerSetup setup{
        .topology = mesh_.topology(),
        .partition = mesh_.partition(),
        .local_nodes = local_nodes_,
        .connector = connector,
        .layer = next_layer_++,
        .options = {.send_depth = depth, .overflow = options_for(type, depth, overflow, false).overflow},
        .type = type.payload_type()};
    layers_.emplace_back(setup, routes_, type.bytes(),
                         LayerArrays{WritableBytes(state), WritableBytes(seen), WritableBytes(received)});
  }

  void pull() {
    for (ArrayLayer& layer : layers_) layer.pull();
  }
  void flush() {
    for (ArrayLayer& layer : layers_) layer.flush();
  }
  void receive(std::size_t layer) { layers_.at(layer).receive(routes_.source_of_input, degree()); }

  [[nodiscard]] std::uint32_t ghosts() const noexcept { return routes_.ghosts; }
  [[nodiscard]] std::uint32_t degree() const noexcept { return local_nodes_.uniform_degree(); }
  [[nodiscard]] nb::bytearray nodes() const { return bytes_of(local_nodes_.nodes()); }
  [[nodiscard]] nb::bytearray indptr() const { return bytes_of(local_nodes_.inputs().begins); }
  [[nodiscard]] nb::bytearray indices() const { return bytes_of(routes_.source_of_input); }

 private:
  static nb::bytearray bytes_of(std::span<const std::uint32_t> numbers) {
    return nb::bytearray(numbers.data(), numbers.size_bytes());
  }

  const ArrayMesh& mesh_;
  Worker& worker_;
  std::uint32_t next_layer_;
  LocalNodes local_nodes_;
  NodeRoutes routes_;
  std::deque<ArrayLayer> layers_;
};

// Edges as an array of pairs of 32-bit numbers, contiguous.
Topology topology_of(std::uint32_t nodes, nb::handle pairs) {
  const WritableBytes bytes(pairs);
  std::vector<Edge> edges(bytes.size() / sizeof(Edge));
  if (!edges.empty()) std::memcpy(edges.data(), bytes.data(), edges.size() * sizeof(Edge));
  return Topology::from_edges(nodes, std::move(edges));
}

// `worker_of` is empty: boxes of a lattice, else few cut edges by METIS if this build has it, else runs of ids.
ArrayMesh make_mesh(const Topology& topology, std::uint32_t workers, std::vector<std::uint32_t> worker_of) {
  if (!worker_of.empty()) return {topology, Partition(workers, std::move(worker_of))};
  if (!topology.extents().empty()) return {topology, partitions::blocks(topology, workers)};
  if (partitions::has_metis()) return {topology, partitions::metis(topology, workers)};
  return {topology, partitions::contiguous(topology, workers)};
}

void bind_topologies(nb::module_& module) {
  using Extents = std::vector<std::uint32_t>;
  nb::class_<Topology>(module, "Topology")
      .def_prop_ro("nodes", &Topology::nodes)
      .def_prop_ro("edges", &Topology::edges)
      .def("__repr__", [](const Topology& topology) {
        return "<laxity topology of " + std::to_string(topology.nodes()) + " nodes and " +
               std::to_string(topology.edges()) + " edges>";
      });
  module.def("topology", &topology_of, nb::arg("nodes"), nb::arg("edges"));
  module.def(
      "read_graph_file", [](const std::string& path) { return read_graph_file(path); }, nb::arg("path"));
  module.def("ring", &topologies::ring, nb::arg("nodes"));
  module.def("complete", &topologies::complete, nb::arg("nodes"));
  module.def(
      "torus", [](const Extents& extents) { return topologies::torus(extents); }, nb::arg("extents"));
  module.def(
      "grid", [](const Extents& extents) { return topologies::grid(extents); }, nb::arg("extents"));
  module.def("watts_strogatz", &topologies::watts_strogatz, nb::arg("nodes"), nb::arg("neighbors"), nb::arg("rewire"),
             nb::arg("seed"));
  module.def("random_geometric", &topologies::random_geometric, nb::arg("nodes"), nb::arg("radius"), nb::arg("seed"));
}

}  // namespace

void bind_meshes(nb::module_& module) {
  bind_topologies(module);
  nb::class_<ArrayMesh>(module, "Mesh")
      .def(nb::new_(&make_mesh), nb::arg("topology"), nb::arg("workers"), nb::arg("worker_of"))
      .def_prop_ro("nodes", [](const ArrayMesh& mesh) { return mesh.topology().nodes(); })
      .def_prop_ro("edges", [](const ArrayMesh& mesh) { return mesh.topology().edges(); })
      .def_prop_ro("workers", [](const ArrayMesh& mesh) { return mesh.partition().workers(); });
  nb::class_<ArrayPart>(module, "MeshPart")
      .def(nb::init<const ArrayMesh&, Worker&, std::uint32_t>(), nb::arg("mesh"), nb::arg("worker"),
           nb::arg("first_layer"), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def("add_layer", &ArrayPart::add_layer, nb::arg("element"), nb::arg("state"), nb::arg("seen"),
           nb::arg("received"), nb::arg("depth"), nb::arg("overflow"))
      .def("pull", &ArrayPart::pull)
      .def("flush", &ArrayPart::flush)
      .def("receive", &ArrayPart::receive, nb::arg("layer"))
      .def_prop_ro("ghosts", &ArrayPart::ghosts)
      .def_prop_ro("degree", &ArrayPart::degree)
      .def_prop_ro("nodes", &ArrayPart::nodes)
      .def_prop_ro("indptr", &ArrayPart::indptr)
      .def_prop_ro("indices", &ArrayPart::indices);
}

}  // namespace laxity::python
