#include "workloads/evolution/genome/genome.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>

#include "laxity/error.hpp"
#include "workloads/evolution/genome/strata.hpp"

namespace laxity::evolution {
static_assert(std::is_trivially_copyable_v<GenomeHeader> && std::is_trivially_copyable_v<Instruction>);

void KinGroups::renew(std::size_t level, std::uint32_t epoch, SeededRandom& random) {
  for (std::size_t i = 0; i < level; ++i) {
    ancestors[i] = ids[i];
    ids[i] = random.bits();
    founded_epoch[i] = epoch;
  }
}

void Descent::add_birth(std::size_t level, SeededRandom& random) noexcept {
  static_assert(kin_levels == 2, "births() adds three counts");
  ++generations[level];
  deposit_stratum(strata, births(), random);
}

Instruction random_instruction(SeededRandom& random) {
  Instruction instruction;
  const std::uint64_t bits = random.bits();
  instruction.byte = static_cast<std::uint8_t>(bits);
  for (std::size_t i = 0; i < instruction.arguments.size(); ++i) {
    instruction.arguments[i] = static_cast<std::uint8_t>(bits >> (8 * (i + 1)));
  }
  const Tag tag = random.bits();
  instruction.tag_halves = {static_cast<std::uint32_t>(tag), static_cast<std::uint32_t>(tag >> 32)};
  return instruction;
}

Genome random_genome(std::size_t length, SeededRandom& random) {
  Genome genome;
  genome.program.resize(length);
  for (Instruction& instruction : genome.program) instruction = random_instruction(random);
  rectify(genome.program, length);
  for (Tag& tag : genome.event_tags) tag = random.bits();
  genome.kin.renew(kin_levels, 0, random);
  genome.descent.lineage = random.bits();
  genome.descent.strata = random.bits();
  return genome;
}

void rectify(Program& program, std::size_t max_length) {
  if (program.size() > max_length) program.resize(max_length);
  if (program.empty()) program.push_back(Instruction::of(Opcode::global_anchor));
  const auto anchor = std::find_if(program.begin(), program.end(), [](const Instruction& instruction) {
    return instruction.opcode() == Opcode::global_anchor;
  });
  if (anchor != program.end()) std::rotate(program.begin(), anchor, program.end());
}

std::size_t encoded_bytes(const Program& program) noexcept {
  return sizeof(GenomeHeader) + program.size() * sizeof(Instruction);
}

void encode(const GenomeHeader& header, const Program& program, std::byte* room) noexcept {
  GenomeHeader copy;
  std::memset(static_cast<void*>(&copy), 0, sizeof copy);  // padding too, so that equal genomes are equal bytes
  copy.event_tags = header.event_tags;
  copy.kin = header.kin;
  copy.descent = header.descent;
  std::memcpy(room, &copy, sizeof copy);
  if (!program.empty()) std::memcpy(room + sizeof copy, program.data(), program.size() * sizeof(Instruction));
}

Genome decode_genome(std::span<const std::byte> bytes) {
  constexpr std::size_t header = sizeof(GenomeHeader);
  const bool whole = bytes.size() >= header && (bytes.size() - header) % sizeof(Instruction) == 0;
  const std::size_t length = whole ? (bytes.size() - header) / sizeof(Instruction) : 0;
  if (length == 0 || length > max_program_length) {
    throw Error("a message of " + std::to_string(bytes.size()) + " bytes is no genome");
  }
  Genome genome;
  std::memcpy(static_cast<GenomeHeader*>(&genome), bytes.data(), header);
  genome.program.resize(length);
  std::memcpy(genome.program.data(), bytes.data() + header, length * sizeof(Instruction));
  return genome;
}

}  // namespace laxity::evolution
