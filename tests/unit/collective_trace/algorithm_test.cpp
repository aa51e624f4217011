#include "laxity/collective/trace/algorithm.hpp"

#include <gtest/gtest.h>

namespace laxity::trace {
namespace {

constexpr Communicator world{.id = 1, .size = 8};

std::string algorithm(Kind kind, const std::vector<Setting>& settings, Start start = Start::blocking,
                      const Communicator& communicator = world) {
  Call call;
  call.kind = kind;
  call.start = start;
  return algorithm_of(call, communicator, settings);
}

TEST(TracedAlgorithm, IsUnknownWhereNothingIsForced) {
  EXPECT_EQ(algorithm(Kind::reduce, {}), "");
  EXPECT_EQ(algorithm(Kind::reduce, {{"MPIR_CVAR_REDUCE_INTRA_ALGORITHM", "auto"}}), "");
  EXPECT_EQ(algorithm(Kind::reduce, {{"I_MPI_ADJUST_REDUCE", "5:0-64;1"}}), "") << "it depends on the size";
}

TEST(TracedAlgorithm, OfOpenMpiIsForcedOnlyWithDynamicRules) {
  const Setting forced{"OMPI_MCA_coll_tuned_reduce_algorithm", "5"};
  const Setting obeyed{"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"};
  EXPECT_EQ(algorithm(Kind::reduce, {forced}), "");
  EXPECT_EQ(algorithm(Kind::reduce, {forced, {obeyed.name, "0"}}), "");
  EXPECT_EQ(algorithm(Kind::reduce, {forced, obeyed}), "5");
  EXPECT_EQ(algorithm(Kind::allreduce, {forced, obeyed}), "");
  EXPECT_EQ(algorithm(Kind::reduce, {forced, obeyed}, Start::nonblocking), "");
}

TEST(TracedAlgorithm, OfMpichAndIntelMpiIsThatOfTheirVariables) {
  EXPECT_EQ(algorithm(Kind::reduce, {{"MPIR_CVAR_REDUCE_INTRA_ALGORITHM", "binomial"}}), "binomial");
  EXPECT_EQ(algorithm(Kind::reduce, {{"MPIR_CVAR_IREDUCE_INTRA_ALGORITHM", "tsp_tree"}}), "");
  EXPECT_EQ(algorithm(Kind::reduce, {{"MPIR_CVAR_IREDUCE_INTRA_ALGORITHM", "tsp_tree"}}, Start::nonblocking),
            "tsp_tree");
  EXPECT_EQ(algorithm(Kind::alltoall, {{"I_MPI_ADJUST_ALLTOALL", "3"}}), "3");
}

TEST(TracedAlgorithm, IsForcedOnGroupsOfSeveralOnly) {
  const std::vector<Setting> forced{{"I_MPI_ADJUST_ALLTOALL", "3"}};
  EXPECT_EQ(algorithm(Kind::alltoall, forced, Start::blocking, {.id = 2, .size = 1}), "");
  EXPECT_EQ(algorithm(Kind::alltoall, forced, Start::blocking, {.id = 2, .size = 4, .remote_size = 4}), "");
}

TEST(TracedAlgorithm, IsDecidedByVariablesOfTheThreeLibraries) {
  EXPECT_TRUE(chooses_algorithms("OMPI_MCA_coll_tuned_dynamic_rules_filename"));
  EXPECT_TRUE(chooses_algorithms("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"));
  EXPECT_TRUE(chooses_algorithms("I_MPI_ADJUST_REDUCE"));
  EXPECT_FALSE(chooses_algorithms("MPIR_CVAR_ENABLE_GPU"));
  EXPECT_FALSE(chooses_algorithms("LD_PRELOAD"));
}

}  // namespace
}  // namespace laxity::trace
