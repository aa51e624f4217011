#include "apps/laxity/color/mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>

#include "laxity/error.hpp"
#include "laxity/mesh/graph_formats/graph_file.hpp"
#include "laxity/mesh/partitions/partition_report.hpp"
#include "laxity/mesh/topologies/generators.hpp"

namespace laxity::cli {
namespace {

// The longer rows lie along memory.
std::vector<std::uint32_t> extents_of(std::uint32_t nodes) {
  std::vector<std::uint32_t> extents = topologies::near_cube(nodes, 2);
  std::ranges::sort(extents);
  return extents;
}

Topology make_topology(const ColorStudy& study, const ColorTreatment& treatment) {
  if (study.topology != "torus") {
    if (treatment.own_tori) throw UsageError("--own-tori: requires the topology torus");
    GraphFileOptions options;
    if (!study.graph_format.empty()) options.format = graph_format_named(study.graph_format);
    return read_graph_file(study.topology, options);
  }
  const std::uint32_t nodes_per_worker = treatment.nodes_per_worker;
  const int workers = treatment.shape.workers();
  const std::uint64_t nodes = std::uint64_t{nodes_per_worker} * static_cast<std::uint64_t>(workers);
  if (nodes == 0 || nodes > Topology::max_nodes)
    throw UsageError(fmt::format("{} nodes per worker, {} workers: a mesh has 1 to {} nodes", nodes_per_worker, workers,
                                 Topology::max_nodes));
  if (treatment.own_tori) return topologies::tori(static_cast<std::uint32_t>(workers), extents_of(nodes_per_worker));
  return topologies::torus(extents_of(static_cast<std::uint32_t>(nodes)));
}

// Into parts; those of a worker come one after the other, and lie near each other where the partition makes it so.
Partition make_partition(const ColorStudy& study, const Topology& topology, const ColorTreatment& treatment) {
  const Shape& shape = treatment.shape;
  const std::uint64_t parts = std::uint64_t{treatment.parts_per_worker} * static_cast<std::uint32_t>(shape.workers());
  if (treatment.parts_per_worker == 0) throw UsageError("--parts-per-worker 0: at least 1");
  if (treatment.parts_per_worker != 1 && parts > topology.nodes())
    throw UsageError(fmt::format("--parts-per-worker {}: {} parts of {} nodes; give at most one part per node",
                                 treatment.parts_per_worker, parts, topology.nodes()));
  const auto workers = static_cast<std::uint32_t>(parts);
  const std::string how = treatment.own_tori ? "contiguous" : study.partition;
  if (how == "blocks")
    return topology.extents().empty() ? partitions::contiguous(topology, workers)
                                      : partitions::blocks(topology, workers);
  if (how == "contiguous") return partitions::contiguous(topology, workers);
  if (how == "round-robin") return partitions::round_robin(topology, workers);
  if (how == "random") return partitions::random(topology, workers, study.coloring.seed);
  if (how == "metis") {
    if (treatment.parts_per_worker > 1)
      return partitions::metis_two_levels(topology, static_cast<std::uint32_t>(shape.workers()),
                                          treatment.parts_per_worker, study.coloring.seed);
    if (shape.processes > 1 && shape.threads > 1)
      return partitions::metis_two_levels(topology, static_cast<std::uint32_t>(shape.processes),
                                          static_cast<std::uint32_t>(shape.threads), study.coloring.seed);
    return partitions::metis(topology, workers, study.coloring.seed);
  }
  if (!std::filesystem::exists(how))
    throw UsageError("partition " + how +
                     ": no such file, and not one of blocks, contiguous, round-robin, random, metis");
  return partitions::from_file(topology, workers, how);
}

}  // namespace

ColorMeshes::ColorMeshes(const ColorStudy& study, const std::vector<ColorTreatment>& treatments) {
  for (const ColorTreatment& treatment : treatments) {
    if (meshes_.contains(key_of(treatment))) continue;
    Topology topology = make_topology(study, treatment);
    Partition partition = make_partition(study, topology, treatment);
    meshes_.insert_or_assign(key_of(treatment), MeshOf{std::move(topology), std::move(partition)});
  }
}

std::string ColorMeshes::description(const ColorTreatment& treatment) const {
  const PartitionReport report = report_partition(topology(treatment), partition(treatment));
  const auto most = std::ranges::max_element(report.workers, {}, &PartitionReport::Worker::neighbors);
  return fmt::format("{} nodes, {} of {} edges cut, balance {:.2f}, at most {} neighbors per {}",
                     topology(treatment).nodes(), report.cut_edges, report.edges, report.balance, most->neighbors,
                     treatment.parts_per_worker == 1 ? "worker" : "part");
}

}  // namespace laxity::cli
