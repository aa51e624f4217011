// What a cardinal of a cell can read and write: its own state, and that of its neighbor.
//
// Source: the readable state of DISHTINY; its size is that of the environment state in Moreno et al., 216 bytes.
// Invariants: CardinalState is what a neighbor receives, so it holds no address and no padding.
// Threads: values.
// Elsewhere: how a program reaches them (peripheral.hpp).
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "workloads/evolution/genome/genome.hpp"

namespace laxity::evolution {

/// What programs control. Each falls back to 0, its default, from time to time. True if neither 0 nor not a number.
enum class Control : std::uint8_t {
  apoptosis,           ///< the cell is to die
  heir,                ///< the neighbor receives the cell's stockpile at its death
  replication_level,   ///< kin groups that offspring in this direction founds anew, 0 to 2
  receive_resistance,  ///< seen by the neighbor's programs
  reserve,             ///< stockpile that is not sent
  send_limit,          ///< of resource per update; 0: none
  send_fraction,       ///< of the stockpile above the reserve, per update
  spawn_arrest,        ///< no offspring in this direction
  spawn,               ///< offspring in this direction
};
inline constexpr std::size_t control_count = 9;
inline constexpr std::size_t memory_words = 8;  ///< that programs write and read, without another effect

/// What a cardinal shows of itself and its cell, as of the last exchange of states.
enum class Fact : std::uint8_t {
  alive,
  age,  ///< updates
  epochs,
  stockpile,
  received,      ///< resource from the neighbor, at the last receipt
  sent,          ///< resource to the neighbor, in the last update
  offspring,     ///< spawned to the neighbor
  newborn,       ///< born since the last exchange of states
  group_size_0,  ///< kin groups of levels 0 and 1, estimated
  group_size_1,
  quorum_exceeded_0,  ///< the group is above the best size
  quorum_exceeded_1,
  group_age_0,  ///< epochs
  group_age_1,
  group_will_expire_0,
  group_will_expire_1,
  generations,  ///< births since the first ancestor, then by replication level
  generations_0,
  generations_1,
  generations_2,
  program_length,
  mutations,
  running_cores,
  dying,       ///< the cell is asked to die
  fragmented,  ///< the cell was born by the fragmentation of its kin group
  child_of_neighbor,
  kin_neighbors,  ///< of the inner level
};
inline constexpr std::size_t fact_count = 27;

struct CardinalState {
  /// 64-bit numbers, in halves that need an alignment of 4.
  enum Id : std::uint8_t { lineage, kin_0, kin_1, ancestor_0, ancestor_1 };
  static constexpr std::size_t id_count = 5;
  static constexpr std::size_t writable_count = control_count + memory_words;

  std::array<float, writable_count> writable{};  ///< controls, then memory
  std::array<float, fact_count> facts{};
  std::array<std::uint32_t, 2 * id_count> id_halves{};

  [[nodiscard]] float control(Control which) const noexcept { return writable[static_cast<std::size_t>(which)]; }
  [[nodiscard]] bool is_set(Control which) const noexcept {
    const float value = control(which);
    return value != 0 && !std::isnan(value);
  }
  [[nodiscard]] float fact(Fact which) const noexcept { return facts[static_cast<std::size_t>(which)]; }
  [[nodiscard]] bool holds(Fact which) const noexcept { return fact(which) != 0; }
  void set(Fact which, double value) noexcept { facts[static_cast<std::size_t>(which)] = static_cast<float>(value); }
  [[nodiscard]] std::uint64_t id(std::size_t which) const noexcept {
    return std::uint64_t{id_halves[2 * which + 1]} << 32 | id_halves[2 * which];
  }
  void set_id(std::size_t which, std::uint64_t value) noexcept {
    id_halves[2 * which] = static_cast<std::uint32_t>(value);
    id_halves[2 * which + 1] = static_cast<std::uint32_t>(value >> 32);
  }
};
static_assert(sizeof(CardinalState) == 216);

/// Whether two cardinals are of living cells of one kin group.
[[nodiscard]] inline bool are_kin(const CardinalState& a, const CardinalState& b, std::size_t level) noexcept {
  return a.holds(Fact::alive) && b.holds(Fact::alive) &&
         a.id(CardinalState::kin_0 + level) == b.id(CardinalState::kin_0 + level);
}

}  // namespace laxity::evolution
