#include "workloads/evolution/world/layers.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/mesh/topologies/generators.hpp"

namespace laxity::evolution {

std::array<LayerOptions, layer_count> layer_options(const Parameters& parameters, std::size_t send_depth) {
  constexpr std::size_t longest_genomes = 32;  // per frame; shorter ones are more
  constexpr std::size_t packets = 4096;        // per frame
  std::array<LayerOptions, layer_count> options;
  for (LayerOptions& layer : options) layer.send_depth = send_depth;
  const Periods& periods = parameters.periods;
  options[spawn_layer].every = periods.birth;
  options[message_layer].every = periods.exchange;
  options[state_layer].every = periods.exchange;
  const std::size_t genome = sizeof(GenomeHeader) + parameters.mutation.max_length * sizeof(Instruction);
  options[spawn_layer].max_bytes =
      sizeof(PackHeader) + longest_genomes * aggregated_record_bytes(Codec<Inheritance>::header_bytes + genome);
  options[message_layer].max_bytes = sizeof(PackHeader) + packets * aggregated_record_bytes(sizeof(Packet));
  return options;
}

Topology world_topology(const Parameters& parameters, std::uint32_t workers) {
  const std::uint64_t cells = std::uint64_t{parameters.cells_per_worker} * workers;
  if (cells > Topology::max_nodes) {
    throw UsageError(std::to_string(cells) + " cells: a world has at most " + std::to_string(Topology::max_nodes));
  }
  std::vector<std::uint32_t> extents = topologies::near_cube(static_cast<std::uint32_t>(cells), 2);
  std::ranges::sort(extents);  // the longer rows lie along memory
  if (extents.front() < 3) {
    throw UsageError(std::to_string(cells) + " cells form a torus of " + std::to_string(extents.front()) + " x " +
                     std::to_string(extents.back()) + ": a cell needs four different neighbors");
  }
  return topologies::torus(extents);
}

}  // namespace laxity::evolution
