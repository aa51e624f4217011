// What all services of the cells of a worker share.
//
// Threads: one worker.
#pragma once

#include <array>
#include <cstdint>

#include "laxity/random.hpp"
#include "workloads/evolution/lineage/birth_record.hpp"
#include "workloads/evolution/world/cell.hpp"
#include "workloads/evolution/world/parameters.hpp"
#include "workloads/evolution/world/resource_account.hpp"

namespace laxity::evolution {

/// What has happened to the cells of a worker since the beginning.
struct Tallies {
  std::uint64_t births = 0;    ///< of offspring of a neighbor
  std::uint64_t repelled = 0;  ///< offspring of neighbors
  std::uint64_t spawns = 0;
  std::uint64_t refused_spawns = 0;  ///< of which the mesh had no room
  std::uint64_t replaced = 0;        ///< deaths by the offspring of a neighbor
  std::uint64_t apoptosis = 0;       ///< deaths at the cell's own request
  std::uint64_t fragmented = 0;      ///< deaths by expiration of a kin group, followed by a birth in place
  std::uint64_t instructions = 0;    ///< that virtual CPUs executed
};

struct ServiceContext {
  const Parameters& parameters;
  SeededRandom random;
  ResourceAccount account{};
  Tallies tallies{};
  BirthRecord births{};
  std::uint32_t update = 0;

  [[nodiscard]] std::uint32_t epoch() const noexcept { return update / parameters.periods.exchange; }
  [[nodiscard]] bool is_due(std::uint32_t period) const noexcept { return update % period == 0; }
};

/// A directed amount of resource for each neighbor, as it is sent.
using Amounts = std::array<float, directions>;

/// The states that the neighbors of a cell have shown last.
using NeighborStates = std::array<const CardinalState*, directions>;

/// Age of a kin group, epochs. Workers may be at different epochs: a group from a later one is new.
[[nodiscard]] inline std::uint32_t group_age(const KinGroups& kin, std::size_t level, std::uint32_t epoch) noexcept {
  return epoch > kin.founded_epoch[level] ? epoch - kin.founded_epoch[level] : 0;
}

}  // namespace laxity::evolution
