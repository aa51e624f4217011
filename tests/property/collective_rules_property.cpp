// Thousands of damaged rules files of every kind, each from a seed, give a result or an error with line and column.
#include <gtest/gtest.h>

#include <array>

#include "laxity/collective/rules/rules_check.hpp"
#include "tests/effort.hpp"
#include "tests/property/largest_allocation.hpp"
#include "tests/property/parser_checks.hpp"

namespace laxity::collective {
namespace {

OpenMpiRules random_rules(SeededRandom& random) {
  OpenMpiRules rules;
  for (const Collective collective : all_collectives) {
    if (random.below(2) == 0) continue;
    CollectiveRules of_collective{openmpi_id(collective), {{1, {{.from_bytes = 0}}}}};
    for (int processes = 2; processes < 64 && random.below(4) != 0; processes *= 2) {
      CommunicatorRules communicator{processes, {}};
      const std::uint32_t count = 1 + random.below(4);
      for (std::uint32_t i = 0; i < count; ++i) {
        communicator.messages.push_back({.from_bytes = std::uint64_t{i} * (1 + random.below(4096)) * 16,
                                         .algorithm = static_cast<int>(1 + random.below(3)),
                                         .fanout = 4,
                                         .segment_bytes = static_cast<int>(random.below(3)) * 1024});
        if (i > 0 && communicator.messages[i].from_bytes <= communicator.messages[i - 1].from_bytes) {
          communicator.messages.pop_back();
          break;
        }
      }
      of_collective.communicators.push_back(std::move(communicator));
    }
    rules.collectives.push_back(std::move(of_collective));
  }
  return rules;
}

TEST(RulesFile, IsReadBackAsItWasWritten) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SeededRandom random(seed);
    const OpenMpiRules rules = random_rules(random);
    for (const OpenMpiForm form : {OpenMpiForm::version_1, OpenMpiForm::version_2, OpenMpiForm::json}) {
      ASSERT_EQ(check_rules(format_rules(rules, form, "a comment"), "written").rules, rules) << "seed " << seed;
    }
  }
}

std::vector<std::string> samples() {
  SeededRandom random(5);
  const OpenMpiRules rules = random_rules(random);
  return {format_rules(rules, OpenMpiForm::version_1, "x"),
          format_rules(rules, OpenMpiForm::version_2),
          format_rules(rules, OpenMpiForm::json),
          "{\"collective=reduce\": {\"comm_type=intra\": {\"comm_size<8\": {\"algorithm=MPIR_Reduce_intra_binomial\": "
          "{}},\n"
          "\"comm_size=any\": {\"avg_msg_size<=8\": {\"algorithm=x\": {}}}}}}",
          "# mpich\nexport MPIR_CVAR_REDUCE_INTRA_ALGORITHM=binomial\nMPIR_CVAR_DEVICE_COLLECTIVES=none\n",
          "I_MPI_ADJUST_REDUCE=\"5:0-1024@2-8;1:1025-2048\"\nI_MPI_ADJUST_BCAST=1\n"};
}

TEST(RulesFile, DamagedTextIsReadOrAnErrorWithItsPlace) {
  static constexpr std::array<std::string_view, 20> words{" ",
                                                          "\n",
                                                          "#",
                                                          "0",
                                                          "010",
                                                          "-1",
                                                          "99999999999999999999",
                                                          "2000000000",
                                                          "9000000000000000000",
                                                          "rule-file-version-",
                                                          "{",
                                                          "}",
                                                          "[",
                                                          "]",
                                                          "\"",
                                                          "\\",
                                                          ",",
                                                          ":",
                                                          "export ",
                                                          "\"collective="};
  for (const std::string& sample : samples()) {
    for (std::uint64_t seed = 0; seed < std::uint64_t{4000} * effort(); ++seed) {
      SeededRandom random(seed);
      std::string text = sample;
      for (std::uint32_t wounds = 1 + random.below(4); wounds > 0; --wounds) damage(text, words, random);
      static_cast<void>(take_largest_allocation());
      try {
        const RulesCheck check = check_rules(text, "damaged");
        for (const RulesWarning& warning : check.warnings)
          check_place(text, ParseError("warning", warning.line, warning.column, warning.what));
      } catch (const ParseError& error) {
        ASSERT_NO_THROW(check_place(text, error)) << "seed " << seed << " on\n" << text;
      }
      ASSERT_LE(take_largest_allocation(), allocation_for(text.size())) << "seed " << seed << " on\n" << text;
    }
  }
}

TEST(RulesFile, DeepNestingIsAnError) {
  const std::string text = "{\"collectives\": " + std::string(100'000, '[');
  EXPECT_THROW(static_cast<void>(check_rules(text, "deep")), ParseError);
}

}  // namespace
}  // namespace laxity::collective
