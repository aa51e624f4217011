#include "laxity/collective/rules/environment_rules.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "laxity/collective/rules/rules_check.hpp"
#include "laxity/error.hpp"

namespace laxity::collective {
namespace {

Candidate candidate(int id, const std::string& name, double mean, double no_delay_us) {
  return {.algorithm = {id, name},
          .mean = mean,
          .worst = mean,
          .worst_pattern = "bell",
          .no_delay_us = no_delay_us,
          .traced_us = {}};
}

Selection reduce_of(std::size_t bytes, std::vector<Candidate> candidates) {
  Selection selection;
  selection.collective = Collective::reduce;
  selection.processes = 8;
  selection.bytes = bytes;
  selection.candidates = std::move(candidates);
  return selection;
}

// Means: binomial 1 and 1.5, smp 1.2 and 1. Without delay smp is faster at both sizes.
std::vector<Selection> measured() {
  return {reduce_of(64, {candidate(1, "binomial", 1, 20), candidate(3, "smp", 1.2, 10)}),
          reduce_of(4096, {candidate(3, "smp", 1, 10), candidate(1, "binomial", 1.5, 20)})};
}

TEST(EnvironmentRules, MpichGetsTheAlgorithmThatIsBestOverAllSizes) {
  const std::string text = mpich_environment(measured(), ChoiceKind::robust);
  EXPECT_NE(text.find("\nMPIR_CVAR_REDUCE_INTRA_ALGORITHM=smp\n"), std::string::npos) << text;
  const RulesCheck check = check_rules(text, "written");
  EXPECT_EQ(check.kind, RulesKind::mpich_environment);
  EXPECT_TRUE(check.warnings.empty());
}

TEST(EnvironmentRules, IntelGetsRangesOfItsAlgorithms) {
  const std::string text = intel_environment(measured(), ChoiceKind::no_delay);
  EXPECT_NE(text.find("\nI_MPI_ADJUST_REDUCE=\"2:0-64@8-8;2:65-4096@8-8\"\n"), std::string::npos) << text;
  const RulesCheck check = check_rules(text, "written");
  EXPECT_EQ(check.kind, RulesKind::intel_environment);
  EXPECT_TRUE(check.warnings.empty());
}

// <id>:<from>-<to>@<processes>-<processes>, with numbers that the reference gives to the named algorithms.
TEST(EnvironmentRules, IntelGetsTheDocumentedNumberOfEveryNameInTheDocumentedForm) {
  struct Documented {
    Collective collective;
    const char* variable;
    const char* name;
    int id;
  };
  constexpr std::array<Documented, 12> documented{{{Collective::allgather, "ALLGATHER", "bruck", 2},
                                                   {Collective::allgather, "ALLGATHER", "ring", 3},
                                                   {Collective::allreduce, "ALLREDUCE", "rabenseifner", 2},
                                                   {Collective::allreduce, "ALLREDUCE", "nonoverlapping", 3},
                                                   {Collective::alltoall, "ALLTOALL", "modified_bruck", 1},
                                                   {Collective::alltoall, "ALLTOALL", "pairwise", 3},
                                                   {Collective::barrier, "BARRIER", "recursive_doubling", 2},
                                                   {Collective::bcast, "BCAST", "binomial", 1},
                                                   {Collective::gather, "GATHER", "binomial", 1},
                                                   {Collective::reduce, "REDUCE", "rabenseifner", 5},
                                                   {Collective::reduce_scatter, "REDUCE_SCATTER", "pairwise", 2},
                                                   {Collective::scatter, "SCATTER", "binomial", 1}}};
  for (const auto& [collective, variable, name, id] : documented) {
    Selection selection = reduce_of(64, {candidate(9, name, 1, 10)});
    selection.collective = collective;
    const std::string text = intel_environment({selection}, ChoiceKind::robust);
    const std::string line = "\nI_MPI_ADJUST_" + std::string(variable) + "=\"" + std::to_string(id) + ":0-64@8-8\"\n";
    EXPECT_NE(text.find(line), std::string::npos) << text;
  }
}

TEST(EnvironmentRules, CollectivesWithoutAnAlgorithmOfIntelAreNamedInAComment) {
  const std::string text = intel_environment({reduce_of(64, {candidate(3, "smp", 1, 10)})}, ChoiceKind::robust);
  EXPECT_EQ(text.find("I_MPI_ADJUST"), std::string::npos) << text;
  EXPECT_NE(text.find("# reduce: "), std::string::npos) << text;
}

TEST(EnvironmentRules, ChoicesThatWereNotMeasuredAreRefused) {
  EXPECT_THROW(static_cast<void>(mpich_environment(measured(), ChoiceKind::traced)), UsageError);
  EXPECT_THROW(static_cast<void>(intel_environment(measured(), ChoiceKind::traced)), UsageError);
}

}  // namespace
}  // namespace laxity::collective
