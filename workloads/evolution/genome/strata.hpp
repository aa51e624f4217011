// Hereditary stratigraphy: 64 random bits in a genome, from which the relationship of genomes can be estimated where
// nobody keeps a record of all births.
//
// The first ancestor of a lineage has 64 random bits, its strata. Every birth replaces one of the inherited bits by a
// random one. Two genomes have in common what both still have from the time before their last common ancestor; of the
// later bits, each differs with probability 1/2. Which bit is replaced is a function of the number of births: what
// remains is dense for recent births and sparse for old ones.
//
// Source: Moreno, Dolson and Ofria, Hereditary stratigraphy: genome annotations to enable phylogenetic inference over
//   distributed populations (ALIFE 2022); sites: the tilted algorithm of Moreno, Rodriguez Papa and Dolson, Algorithms
//   for efficient, compact online data stream curation (arXiv 2403.00266).
// Threads: values.
// Elsewhere: reconstruction of the tree (python/src/laxity/studies/evolution/strata.py).
#pragma once

#include <cstdint>

#include "laxity/random.hpp"

namespace laxity::evolution {

inline constexpr unsigned strata_sites = 64;

/// The site, 0 to 63, of the stratum of this number, from 0; those of a first ancestor are 0 to 64. stratum < 2^63.
[[nodiscard]] unsigned site_of_stratum(std::uint64_t stratum) noexcept;

/// Replaces the bit of the birth of this number since the first ancestor, from 1. Site 0 is the most significant bit.
void deposit_stratum(std::uint64_t& strata, std::uint64_t birth, SeededRandom& random) noexcept;

}  // namespace laxity::evolution
