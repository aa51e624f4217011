#include "laxity/collective/rules/environment_rules.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "laxity/collective/rules/rules_check.hpp"
#include "laxity/error.hpp"
#include "tests/unit/collective/made_selection.hpp"

namespace laxity::collective {
namespace {

// Ratios of the means to the library's own choice; without delay smp is faster at both sizes.
std::vector<Selection> measured() {
  return {selection_of(Collective::reduce, 8, 64, {{1, "binomial", 0.5, 0.8}, {3, "smp", 0.6, 0.4}}),
          selection_of(Collective::reduce, 8, 4096, {{3, "smp", 0.5, 0.4}, {1, "binomial", 0.75, 0.8}})};
}

TEST(EnvironmentRules, IntelGetsRangesOfItsAlgorithms) {
  const std::string text = intel_environment(measured(), ChoiceKind::no_delay);
  EXPECT_NE(text.find("\nI_MPI_ADJUST_REDUCE=\"2:32-128@8-8;2:2048-8192@8-8\"\n"), std::string::npos) << text;
  const RulesCheck check = check_rules(text, "written");
  EXPECT_EQ(check.kind, RulesKind::intel_environment);
  EXPECT_TRUE(check.warnings.empty());
}

TEST(EnvironmentRules, TheBestAlgorithmThatIntelHasIsChosenIfItIsFaster) {
  const auto value = [](double ratio) {
    return intel_environment({selection_of(Collective::reduce, 8, 64, {{1, "binomial", ratio}, {7, "unknown", 0.2}})},
                             ChoiceKind::robust);
  };
  EXPECT_NE(value(0.5).find("\"2:32-128@8-8\""), std::string::npos) << value(0.5);
  EXPECT_EQ(value(0.97).find("I_MPI_ADJUST"), std::string::npos) << value(0.97);
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
    const std::string text = intel_environment({selection_of(collective, 8, 64, {{9, name, 0.5}})}, ChoiceKind::robust);
    const std::string line = "\nI_MPI_ADJUST_" + std::string(variable) + "=\"" + std::to_string(id) + ":32-128@8-8\"\n";
    EXPECT_NE(text.find(line), std::string::npos) << text;
  }
}

TEST(EnvironmentRules, CollectivesWithoutAnAlgorithmOfIntelAreNamedInAComment) {
  const std::string text =
      intel_environment({selection_of(Collective::reduce, 8, 64, {{3, "smp", 0.5}})}, ChoiceKind::robust);
  EXPECT_EQ(text.find("I_MPI_ADJUST"), std::string::npos) << text;
  EXPECT_NE(text.find("# reduce: "), std::string::npos) << text;
}

TEST(EnvironmentRules, ChoicesThatWereNotMeasuredAreRefused) {
  EXPECT_THROW(static_cast<void>(intel_environment(measured(), ChoiceKind::traced)), UsageError);
}

TEST(EnvironmentRules, OneAlgorithmIsForcedAsTheTracerReadsIt) {
  using Settings = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(
      forcing_environment(Library::open_mpi, Collective::alltoall, {2, "pairwise"}),
      (Settings{{"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"}, {"OMPI_MCA_coll_tuned_alltoall_algorithm", "2"}}));
  EXPECT_EQ(
      forcing_environment(Library::mpich, Collective::reduce_scatter, {4, "pairwise"}),
      (Settings{{"MPIR_CVAR_DEVICE_COLLECTIVES", "none"}, {"MPIR_CVAR_REDUCE_SCATTER_INTRA_ALGORITHM", "pairwise"}}));
  EXPECT_TRUE(forcing_environment(Library::open_mpi, Collective::alltoall, {0, "library"}).empty());
  EXPECT_THROW(static_cast<void>(forcing_environment(Library::intel_mpi, Collective::alltoall, {2, "pairwise"})),
               UsageError);
}

}  // namespace
}  // namespace laxity::collective
