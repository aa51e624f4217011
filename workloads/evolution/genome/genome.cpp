#include "workloads/evolution/genome/genome.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>

#include "laxity/error.hpp"

namespace laxity::evolution {
namespace {

// What precedes the instructions in an encoding.
struct Header {
  std::array<Tag, event_count> event_tags;
  KinGroups kin;
  Descent descent;
};
static_assert(std::is_trivially_copyable_v<Header> && std::is_trivially_copyable_v<Instruction>);

}  // namespace

void KinGroups::renew(std::size_t level, std::uint32_t epoch, SeededRandom& random) {
  for (std::size_t i = 0; i < level; ++i) {
    ancestors[i] = ids[i];
    ids[i] = random.bits();
    founded_epoch[i] = epoch;
  }
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

std::size_t encoded_bytes(const Genome& genome) noexcept {
  return sizeof(Header) + genome.program.size() * sizeof(Instruction);
}

void encode(const Genome& genome, std::byte* room) noexcept {
  Header header;
  std::memset(static_cast<void*>(&header), 0, sizeof header);  // padding too, so that equal genomes are equal bytes
  header.event_tags = genome.event_tags;
  header.kin = genome.kin;
  header.descent = genome.descent;
  std::memcpy(room, &header, sizeof header);
  if (!genome.program.empty()) {
    std::memcpy(room + sizeof header, genome.program.data(), genome.program.size() * sizeof(Instruction));
  }
}

Genome decode_genome(std::span<const std::byte> bytes) {
  const bool whole = bytes.size() >= sizeof(Header) && (bytes.size() - sizeof(Header)) % sizeof(Instruction) == 0;
  const std::size_t length = whole ? (bytes.size() - sizeof(Header)) / sizeof(Instruction) : 0;
  if (length == 0 || length > max_program_length) {
    throw Error("a message of " + std::to_string(bytes.size()) + " bytes is no genome");
  }
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  Genome genome{{}, header.event_tags, header.kin, header.descent};
  genome.program.resize(length);
  std::memcpy(genome.program.data(), bytes.data() + sizeof header, length * sizeof(Instruction));
  return genome;
}

}  // namespace laxity::evolution
