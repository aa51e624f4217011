// The five mesh layers on which the cells of a world interact.
//
// Source: Moreno et al., Best-effort communication improves performance and scales robustly on conventional hardware, II-A:
//   spawns and messages aggregated, resource accumulating, states and kin-group sizes pooled. The papers' bit strings of kin
//   groups have 16 bytes, and 40 here: a lost message must not stop the count (quorum.hpp).
// Threads: values.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "laxity/channel/codec.hpp"
#include "laxity/mesh/layers/accumulating_layer.hpp"
#include "laxity/mesh/layers/aggregated_layer.hpp"
#include "laxity/mesh/layers/pooled_layer.hpp"
#include "laxity/mesh/mesh.hpp"
#include "workloads/evolution/world/cell.hpp"
#include "workloads/evolution/world/parameters.hpp"

namespace laxity {

/// Offspring travels as its genome, 12 bytes an instruction, after the replication level.
template <>
struct Codec<evolution::Inheritance> {
  static constexpr std::size_t header_bytes = 8;  // keeps the genome aligned

  static std::size_t bytes(const evolution::Inheritance& offspring) noexcept {
    return header_bytes + evolution::encoded_bytes(offspring.program->program());
  }
  static void encode(const evolution::Inheritance& offspring, std::byte* room) noexcept {
    const std::array<std::uint32_t, 2> header{offspring.replication_level, 0};
    std::memcpy(room, header.data(), header_bytes);
    evolution::encode(offspring.header, offspring.program->program(), room + header_bytes);
  }
  /// Throws Error if the bytes are not of offspring.
  static void decode(std::span<const std::byte> bytes, evolution::Inheritance& offspring) {
    std::uint32_t level = ~std::uint32_t{0};
    if (bytes.size() >= header_bytes) std::memcpy(&level, bytes.data(), sizeof level);
    if (level > evolution::kin_levels) throw Error("a message of offspring has no replication level");
    evolution::Genome genome = evolution::decode_genome(bytes.subspan(header_bytes));
    offspring = {genome, std::make_shared<const evolution::LoadedProgram>(std::move(genome.program)), level};
  }
};

}  // namespace laxity

namespace laxity::evolution {

/// What a cell tells a neighbor for the sizes of their kin groups.
struct QuorumMessage {
  std::array<Quorum::Message, kin_levels> levels{};
  RoundTrips::Stamp stamp{};
};
static_assert(sizeof(QuorumMessage) == 40);

using EvolutionMesh = Mesh<AggregatedLayer<Inheritance>, AccumulatingLayer<float>, AggregatedLayer<Packet>,
                           PooledLayer<CardinalState>, PooledLayer<QuorumMessage>>;
inline constexpr std::size_t spawn_layer = 0;
inline constexpr std::size_t resource_layer = 1;
inline constexpr std::size_t message_layer = 2;
inline constexpr std::size_t state_layer = 3;
inline constexpr std::size_t quorum_layer = 4;
inline constexpr std::size_t layer_count = 5;

/// Cadence and frames of the layers. `send_depth` is the number of frames in flight to a neighbor.
[[nodiscard]] std::array<LayerOptions, layer_count> layer_options(const Parameters& parameters,
                                                                  std::size_t send_depth = 2);

/// The torus of all cells. Throws UsageError if it is too narrow for four different neighbors of a cell.
[[nodiscard]] Topology world_topology(const Parameters& parameters, std::uint32_t workers);

}  // namespace laxity::evolution
