// How a genome changes when a cell is born.
//
// Source: the mutation operators of SignalGP-Lite and DISHTINY: two sloppy copies, then bit flips.
// Threads: one generator, one thread.
#pragma once

#include <array>
#include <cstddef>

#include "laxity/random.hpp"
#include "workloads/evolution/genome/genome.hpp"

namespace laxity::evolution {

/// Probabilities in [0, 1]; the values are those of the preset `benchmark`.
struct MutationRates {
  std::array<double, kin_levels + 1> occurrence{0, 0.2, 0.5};  ///< that a birth mutates, by replication level
  double bit_flip = 0.001;                                     ///< per bit of program and event tags
  double defect = 0.01;                                        ///< per instruction and sloppy copy
  double severe_defect = 0.01;                                 ///< that a defect is severe
  std::size_t max_length = 1000;                               ///< of a program, instructions; at least 1
};

/// What a sloppy copy inserts.
enum class Insertion { random_instructions, repeated_sequence };

/// Copies a program with defects. Each instruction has one before it with probability rates.defect: half of them insert, half
/// delete, up to 8 instructions, or up to the whole program's length if severe. Counts them in `descent`.
[[nodiscard]] Program sloppy_copy(const Program& program, Insertion insertion, const MutationRates& rates,
                                  Descent& descent, SeededRandom& random);

/// Flips each bit of `bytes` with probability `rate`. Returns the number of flips.
std::size_t flip_bits(std::span<std::byte> bytes, double rate, SeededRandom& random);

/// Whether the genome of a newborn mutates: with the probability for its replication level, 0 to kin_levels.
[[nodiscard]] bool mutates(std::size_t replication_level, const MutationRates& rates, SeededRandom& random);

/// Two sloppy copies, then bit flips.
void mutate(Genome& genome, const MutationRates& rates, SeededRandom& random);

/// Mutates the genome of a newborn with the probability for its replication level, 0 to kin_levels.
void mutate_at_birth(Genome& genome, std::size_t replication_level, const MutationRates& rates, SeededRandom& random);

}  // namespace laxity::evolution
