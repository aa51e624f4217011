// The meshes of a graph coloring study: a topology and a partition for each size of team and its parts.
//
// Elsewhere: which treatments there are (color/study.hpp), the generators (laxity/mesh/topologies/generators.hpp).
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "apps/laxity/color/study.hpp"
#include "laxity/mesh/partitions/partition.hpp"
#include "laxity/mesh/topology.hpp"

namespace laxity::cli {

/// The mesh of each treatment, made once for all that share it; runs refer to it.
class ColorMeshes {
 public:
  /// Throws UsageError for sizes that make no sense, Error for graph files that cannot be read.
  ColorMeshes(const ColorStudy& study, const std::vector<ColorTreatment>& treatments);

  [[nodiscard]] const Topology& topology(const ColorTreatment& treatment) const { return at(treatment).topology; }
  [[nodiscard]] const Partition& partition(const ColorTreatment& treatment) const { return at(treatment).partition; }

  /// "16 nodes, 32 of 64 edges cut, ..." for people.
  [[nodiscard]] std::string description(const ColorTreatment& treatment) const;

 private:
  struct MeshOf {
    Topology topology;
    Partition partition;
  };
  using Key =
      std::tuple<std::string, std::uint32_t, std::uint32_t, bool>;  // shape, nodes and parts per worker, own tori

  [[nodiscard]] static Key key_of(const ColorTreatment& treatment) {
    return {treatment.shape.text(), treatment.nodes_per_worker, treatment.parts_per_worker, treatment.own_tori};
  }
  [[nodiscard]] const MeshOf& at(const ColorTreatment& treatment) const { return meshes_.at(key_of(treatment)); }

  std::map<Key, MeshOf> meshes_;
};

}  // namespace laxity::cli
