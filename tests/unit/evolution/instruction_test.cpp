#include "workloads/evolution/cpu/instruction.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace laxity::evolution {
namespace {

TEST(Instruction, EveryByteIsAnOpcodeAndEveryOpcodeHasItsShareOfTheBytes) {
  std::array<int, opcode_count> bytes{};
  for (int byte = 0; byte < 256; ++byte)
    ++bytes[static_cast<std::size_t>(opcode_of_byte(static_cast<std::uint8_t>(byte)))];
  double total = 0;
  for (std::size_t i = 0; i < opcode_count; ++i) total += describe(static_cast<Opcode>(i)).prevalence;
  for (std::size_t i = 0; i < opcode_count; ++i) {
    EXPECT_GE(bytes[i], 1);
    EXPECT_NEAR(bytes[i], 256 * describe(static_cast<Opcode>(i)).prevalence / total, 1);
  }
}

TEST(Instruction, NamesAreUniqueAndLeadBackToTheOpcode) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < opcode_count; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    EXPECT_TRUE(names.insert(describe(opcode).name).second);
    EXPECT_EQ(opcode_of_name(describe(opcode).name), opcode);
    EXPECT_EQ(opcode_of_byte(byte_of_opcode(opcode)), opcode);
  }
  EXPECT_EQ(opcode_of_name("no such instruction"), std::nullopt);
}

TEST(Instruction, KeepsItsTagAndTakesArgumentsModuloTheRegisters) {
  const Instruction instruction = Instruction::of(Opcode::add, {7, 8, 255}, 0x0123456789abcdef);
  EXPECT_EQ(instruction.tag(), 0x0123456789abcdefU);
  EXPECT_EQ(instruction.argument(0), 7U);
  EXPECT_EQ(instruction.argument(1), 0U);
  EXPECT_EQ(instruction.argument(2), 7U);
}

TEST(Instruction, EvenTagsAreConstantsUpToOneAndOddTagsAreAbove) {
  EXPECT_FLOAT_EQ(constant_of_tag(0), -1);
  EXPECT_FLOAT_EQ(constant_of_tag(Tag{1} << 62), -0.5);
  EXPECT_FLOAT_EQ(constant_of_tag((Tag{1} << 62) + 1), -8);
  EXPECT_FLOAT_EQ(constant_of_tag(~Tag{0}), 1);
  EXPECT_FLOAT_EQ(constant_of_tag(3 * (Tag{1} << 62)), 0.5);
}

TEST(Instruction, TheDocumentDescribesEach) {
  std::ifstream file(LAXITY_SOURCE_DIR "/docs/virtual_cpu.md");
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  for (std::size_t i = 0; i < opcode_count; ++i) {
    const OpcodeDescription& description = describe(static_cast<Opcode>(i));
    const std::string row = "| " + std::string(description.name) + " | " + std::to_string(description.prevalence) +
                            " | " + std::string(description.effect) + " |\n";
    EXPECT_NE(document.find(row), std::string::npos) << "docs/virtual_cpu.md lacks: " << row;
  }
}

}  // namespace
}  // namespace laxity::evolution
