// What may start a core: each event has a tag in the genome.
//
// Source: the events of DISHTINY (its source at commit 06d08b3). A cardinal sees those of its own neighbor.
#pragma once

#include <cstddef>
#include <cstdint>

namespace laxity::evolution {

inline constexpr std::size_t kin_levels = 2;  ///< small groups, and groups of such groups

/// Events of one kind for each kin level stand together, the inner level first.
enum class Event : std::uint8_t {
  always,
  newborn,                 ///< this cell is newborn
  child_cell_of_neighbor,  ///< the neighbor's spawn founded this cell
  parent_cell_of_neighbor,
  parent_fragmented,  ///< this cell comes from the fragmentation of its parent
  neighbor_alive,
  neighbor_not_alive,
  neighbor_newborn,
  neighbor_dying,  ///< the neighbor has asked for apoptosis
  neighbor_fragmented,
  lineage_match,  ///< the neighbor has the same first ancestor
  lineage_mismatch,
  richer_than_neighbor,
  poorer_than_neighbor,
  received_resource,          ///< from the neighbor
  stockpile_depleted,         ///< less than a tenth of the cost of a spawn
  stockpile_sufficient,       ///< for a spawn
  child_group_of_neighbor_0,  ///< this group descends from the neighbor's
  child_group_of_neighbor_1,
  kin_match_0,  ///< the neighbor is of the same group
  kin_match_1,
  kin_mismatch_0,
  kin_mismatch_1,
  group_will_expire_0,
  group_will_expire_1,
  group_will_not_expire_0,
  group_will_not_expire_1,
  neighbor_group_will_expire_0,
  neighbor_group_will_expire_1,
  neighbor_quorum_exceeded_0,  ///< the neighbor's group is above the best size
  neighbor_quorum_exceeded_1,
  quorum_exceeded_0,  ///< the own group is above the best size
  quorum_exceeded_1,
  quorum_not_exceeded_0,
  quorum_not_exceeded_1,
};
inline constexpr std::size_t event_count = 35;

}  // namespace laxity::evolution
