// A genome: the program and event tags that all cardinals of a cell run, and the cell's descent.
//
// Source: DISHTINY (Moreno and Ofria, Artificial Life 25, 2019).
// Invariants: after rectify() the program is not empty, is at most as long as the cap and begins with a global anchor if it
// has one.
// Threads: values.
// Elsewhere: mutation (mutation.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "laxity/random.hpp"
#include "workloads/evolution/cpu/program.hpp"
#include "workloads/evolution/genome/events.hpp"

namespace laxity::evolution {

/// The kin groups of a cell, one per level; a group of level 1 consists of groups of level 0.
struct KinGroups {
  std::array<std::uint64_t, kin_levels> ids{};
  std::array<std::uint64_t, kin_levels> ancestors{};      ///< the group that each descends from
  std::array<std::uint32_t, kin_levels> founded_epoch{};  ///< when each was founded

  /// Founds the innermost `level` groups anew: 0 stays in all, kin_levels leaves all.
  void renew(std::size_t level, std::uint32_t epoch, SeededRandom& random);
  friend bool operator==(const KinGroups&, const KinGroups&) = default;
};

/// How often a genome has been copied and changed since its first ancestor.
struct Descent {
  std::uint64_t lineage = 0;     ///< id of the first ancestor
  std::uint64_t individual = 0;  ///< number of the cell in the record of births; 0: none is kept
  std::uint64_t strata = 0;      ///< of hereditary stratigraphy (strata.hpp)
  std::array<std::uint32_t, kin_levels + 1> generations{};  ///< births by replication level
  std::uint32_t insertions = 0;
  std::uint32_t deletions = 0;
  std::uint32_t bit_flips = 0;

  /// Since the first ancestor.
  [[nodiscard]] std::uint64_t births() const noexcept {
    return std::uint64_t{generations[0]} + generations[1] + generations[2];
  }
  /// Counts a birth of this replication level, 0 to kin_levels, and leaves its stratum.
  void add_birth(std::size_t level, SeededRandom& random) noexcept;
  friend bool operator==(const Descent&, const Descent&) = default;
};

/// A genome without its program.
struct GenomeHeader {
  std::array<Tag, event_count> event_tags{};
  KinGroups kin;
  Descent descent;

  [[nodiscard]] Tag event_tag(Event event) const noexcept { return event_tags[static_cast<std::size_t>(event)]; }
  friend bool operator==(const GenomeHeader&, const GenomeHeader&) = default;
};

struct Genome : GenomeHeader {
  Program program;
  friend bool operator==(const Genome&, const Genome&) = default;
};

[[nodiscard]] Instruction random_instruction(SeededRandom& random);

/// A genome with a random program and tags, in groups and of a lineage of its own. length >= 1.
[[nodiscard]] Genome random_genome(std::size_t length, SeededRandom& random);

/// Restores the invariants after a mutation: cuts the program to `max_length` instructions, gives an empty one a global
/// anchor, and rotates it to its first global anchor.
void rectify(Program& program, std::size_t max_length);

/// Size of the encoding of a genome, bytes: 12 per instruction, and a header.
[[nodiscard]] std::size_t encoded_bytes(const Program& program) noexcept;
/// Writes exactly encoded_bytes(program) bytes, the same on every host of one byte order.
void encode(const GenomeHeader& header, const Program& program, std::byte* room) noexcept;
/// Reads a genome back. Throws Error if the bytes are not of one.
[[nodiscard]] Genome decode_genome(std::span<const std::byte> bytes);

}  // namespace laxity::evolution
