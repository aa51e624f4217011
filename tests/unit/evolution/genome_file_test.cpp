#include "workloads/evolution/genome/genome_file.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "laxity/error.hpp"
#include "laxity/random.hpp"
#include "laxity/text_scanner.hpp"

namespace laxity::evolution {
namespace {

Genome some_genome(std::size_t length) {
  SeededRandom random(length);
  Genome genome = random_genome(length, random);
  genome.kin.renew(1, 4294967295, random);
  genome.descent.generations = {1, 2, 4294967295};
  genome.descent.insertions = 3;
  return genome;
}

std::string error_of(const std::string& text) {
  try {
    (void)parse_genome("g.txt", text);
  } catch (const ParseError& error) {
    return error.what();
  }
  return "no error";
}

TEST(GenomeFile, SurvivesTheTextBitByBit) {
  for (const std::size_t length : {1U, 2U, 100U, 4096U}) {
    const Genome genome = some_genome(length);
    EXPECT_EQ(parse_genome("g.txt", format_genome(genome)), genome);
  }
}

TEST(GenomeFile, CommentsEmptyLinesAndCarriageReturnsMeanNothing) {
  const Genome genome = some_genome(3);
  std::string text;
  for (const char c : format_genome(genome)) text += c == '\n' ? "\r\n; a comment\n\n" : std::string(1, c);
  EXPECT_EQ(parse_genome("g.txt", text), genome);
}

TEST(GenomeFile, EventNamesAreUnique) {
  std::set<std::string_view> names;
  for (std::size_t event = 0; event < event_count; ++event) names.insert(name_of(static_cast<Event>(event)));
  EXPECT_EQ(names.size(), event_count);
}

TEST(GenomeFile, ErrorsNameLineAndColumn) {
  const std::string whole = format_genome(some_genome(2));
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    text.replace(text.find(from), from.size(), to);
    return error_of(text);
  };
  EXPECT_EQ(error_of(whole), "no error");
  EXPECT_EQ(error_of(""), "g.txt:1:1: expected \"laxity-genome 1\": this is no genome");
  EXPECT_EQ(changed("laxity-genome 1", "laxity-genome 2"),
            "g.txt:1:1: expected \"laxity-genome 1\": this is no genome");
  EXPECT_EQ(changed("lineage ", "lineage x"),
            "g.txt:2:9: " + laxity::detail::quoted(whole.substr(whole.find("lineage ") + 8, 16).insert(0, "x")) +
                " is not 16 hexadecimal digits");
  EXPECT_EQ(changed("insertions 3", "insertions -3"), "g.txt:14:12: '-3' is no number from 0 to 4294967295");
  EXPECT_EQ(changed("event newborn", "event nwborn"), "g.txt:18:7: expected 'newborn', not 'nwborn'");
  EXPECT_EQ(changed("program 2", "program 0"), "g.txt:52:9: a program has 1 to 65535 instructions");
  EXPECT_EQ(changed("program 2", "program 3"), "g.txt:55:1: expected an instruction, but the file ends");
  EXPECT_EQ(changed("program 2\n", "program 1\n").substr(0, 12), "g.txt:54:1: ");
}

// Any damage is an error with a place or another genome, never a crash.
TEST(GenomeFile, SurvivesRandomDamage) {
  SeededRandom random(5);
  const std::string whole = format_genome(some_genome(5));
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = whole;
    const auto at = random.below(static_cast<std::uint32_t>(text.size()));
    switch (random.below(3)) {
      case 0:
        text.resize(at);
        break;
      case 1:
        text[at] = static_cast<char>(random.bits());
        break;
      default:
        text.erase(at, 1 + random.below(40));
    }
    refused += error_of(text) != "no error";
  }
  EXPECT_GT(refused, 1000);
}

TEST(GenomeFile, JsonNamesInstructionsAndTags) {
  Genome genome = some_genome(1);
  genome.program = {Instruction::of(Opcode::add, {1, 2, 3}, 0xabc)};
  const std::string json = format_genome_json(genome);
  EXPECT_NE(json.find(R"({"instruction": "Add", "byte": )"), std::string::npos);
  EXPECT_NE(json.find(R"("arguments": [1, 2, 3], "tag": "0000000000000abc"})"), std::string::npos);
  EXPECT_NE(json.find(R"("generations_2": 4294967295,)"), std::string::npos);
}

}  // namespace
}  // namespace laxity::evolution
