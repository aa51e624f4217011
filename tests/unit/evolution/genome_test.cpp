#include "workloads/evolution/genome/genome.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "gtest/gtest.h"
#include "laxity/error.hpp"
#include "laxity/random.hpp"

namespace laxity::evolution {
namespace {

std::vector<std::byte> encoded(const Genome& genome) {
  std::vector<std::byte> bytes(encoded_bytes(genome.program));
  encode(genome, genome.program, bytes.data());
  return bytes;
}

TEST(KinGroups, ReplicationLevelRenewsTheInnermostGroups) {
  SeededRandom random(1);
  KinGroups parent;
  parent.renew(kin_levels, 3, random);
  for (std::size_t level = 0; level <= kin_levels; ++level) {
    KinGroups child = parent;
    child.renew(level, 7, random);
    for (std::size_t i = 0; i < kin_levels; ++i) {
      EXPECT_EQ(child.ids[i] != parent.ids[i], i < level);
      EXPECT_EQ(child.founded_epoch[i], i < level ? 7U : 3U);
      EXPECT_EQ(child.ancestors[i], i < level ? parent.ids[i] : parent.ancestors[i]);
    }
  }
}

TEST(Genome, RandomProgramsBeginWithAGlobalAnchorIfTheyHaveOne) {
  SeededRandom random(2);
  for (std::size_t length = 1; length < 200; ++length) {
    const Genome genome = random_genome(length, random);
    ASSERT_EQ(genome.program.size(), length);
    const auto anchors = std::count_if(genome.program.begin(), genome.program.end(),
                                       [](const Instruction& i) { return i.opcode() == Opcode::global_anchor; });
    EXPECT_EQ(genome.program.front().opcode() == Opcode::global_anchor, anchors > 0);
  }
}

TEST(Genome, RectifyingRotatesCutsAndFills) {
  const Instruction nop = Instruction::of(Opcode::nop_a);
  const Instruction anchor = Instruction::of(Opcode::global_anchor);
  Program program{nop, nop, anchor, nop};
  rectify(program, 10);
  EXPECT_EQ(program, (Program{anchor, nop, nop, nop}));
  rectify(program, 2);
  EXPECT_EQ(program, (Program{anchor, nop}));
  Program empty;
  rectify(empty, 10);
  EXPECT_EQ(empty, Program{anchor});
}

TEST(Genome, SurvivesItsEncodingBitByBit) {
  SeededRandom random(3);
  for (const std::size_t length : {1U, 2U, 99U, 1000U, 4096U}) {
    Genome genome = random_genome(length, random);
    genome.descent.generations = {1, 2, 3};
    const std::vector<std::byte> bytes = encoded(genome);
    const Genome decoded = decode_genome(bytes);
    EXPECT_EQ(decoded, genome);
    EXPECT_EQ(encoded(decoded), bytes);
  }
}

TEST(Genome, BytesThatAreNoGenomeAreRefused) {
  SeededRandom random(4);
  const std::vector<std::byte> bytes = encoded(random_genome(2, random));
  const std::span whole(bytes);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, bytes.size() - 1, bytes.size() - 24}) {
    EXPECT_THROW((void)decode_genome(whole.first(size)), Error) << size;
  }
  EXPECT_NO_THROW((void)decode_genome(whole.first(bytes.size() - 12)));
}

}  // namespace
}  // namespace laxity::evolution
