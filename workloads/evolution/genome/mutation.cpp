#include "workloads/evolution/genome/mutation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "laxity/check.hpp"

namespace laxity::evolution {
namespace {

constexpr std::uint32_t usual_defect = 8;  // largest defect that is not severe, instructions

}  // namespace

Program sloppy_copy(const Program& program, Insertion insertion, const MutationRates& rates, Descent& descent,
                    SeededRandom& random) {
  Program copy;
  copy.reserve(std::min(program.size() + usual_defect, rates.max_length));
  const auto append = [&](const Instruction& instruction) {
    if (copy.size() < rates.max_length) copy.push_back(instruction);
  };
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (random.unit() < rates.defect) {
      const bool severe = random.unit() < rates.severe_defect;
      const auto longest = severe ? static_cast<std::uint32_t>(program.size()) : usual_defect;
      const std::size_t size = 1 + random.below(longest);
      if (random.unit() < 0.5) {
        for (std::size_t n = 0; n < size; ++n) {
          append(insertion == Insertion::random_instructions ? random_instruction(random)
                                                             : program[(i + n) % program.size()]);
        }
        ++descent.insertions;
      } else {
        i += size - 1;
        ++descent.deletions;
        continue;
      }
    }
    append(program[i]);
  }
  return copy;
}

// The distance to the next flip is geometric, which takes a draw per flip instead of one per bit.
std::size_t flip_bits(std::span<std::byte> bytes, double rate, SeededRandom& random) {
  if (rate <= 0) return 0;
  const auto bits = static_cast<double>(bytes.size() * 8);
  const double scale = 1 / std::log1p(-std::min(rate, 1.));  // -0 if every bit flips
  std::size_t flips = 0;
  for (double at = 0;; ++at, ++flips) {
    at += std::floor(std::log(1 - random.unit()) * scale);
    if (at >= bits) return flips;
    const auto bit = static_cast<std::size_t>(at);
    bytes[bit / 8] ^= std::byte{1} << bit % 8;
  }
}

bool mutates(std::size_t replication_level, const MutationRates& rates, SeededRandom& random) {
  LAXITY_CHECK(replication_level <= kin_levels);
  return random.unit() < rates.occurrence[replication_level];
}

void mutate_at_birth(Genome& genome, std::size_t replication_level, const MutationRates& rates, SeededRandom& random) {
  if (mutates(replication_level, rates, random)) mutate(genome, rates, random);
}

void mutate(Genome& genome, const MutationRates& rates, SeededRandom& random) {
  Descent& descent = genome.descent;
  genome.program = sloppy_copy(genome.program, Insertion::random_instructions, rates, descent, random);
  genome.program = sloppy_copy(genome.program, Insertion::repeated_sequence, rates, descent, random);
  descent.bit_flips += static_cast<std::uint32_t>(
      flip_bits(std::as_writable_bytes(std::span(genome.program)), rates.bit_flip, random) +
      flip_bits(std::as_writable_bytes(std::span(genome.event_tags)), rates.bit_flip, random));
  rectify(genome.program, rates.max_length);
}

}  // namespace laxity::evolution
