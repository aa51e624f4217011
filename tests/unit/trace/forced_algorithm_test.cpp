#include "laxity/trace/analysis/forced_algorithm.hpp"

#include <gtest/gtest.h>

namespace laxity::trace {
namespace {

std::string algorithm(const char* mpi, Kind kind, const std::vector<Setting>& settings, Start start = Start::blocking,
                      const Communicator& communicator = {.id = 1, .size = 8}) {
  ProcessDefinitions process;
  process.process.mpi = mpi;
  process.communicators = {communicator};
  process.settings = settings;
  Call call;
  call.kind = kind;
  call.start = start;
  return forced_algorithm(process, call);
}

constexpr const char *open_mpi = "Open MPI v4.1.4", *mpich = "MPICH Version:", *intel = "Intel(R) MPI Library 2021.8";

TEST(ForcedAlgorithm, IsEmptyWithoutSettings) {
  EXPECT_EQ(algorithm(open_mpi, Kind::reduce, {}), "");
  EXPECT_EQ(algorithm(mpich, Kind::reduce, {{"MPIR_CVAR_REDUCE_INTRA_ALGORITHM", "auto"}}), "");
  EXPECT_EQ(algorithm(intel, Kind::reduce, {{"I_MPI_ADJUST_REDUCE", "5:0-64;1"}}), "") << "it depends on the size";
}

TEST(ForcedAlgorithm, OfOpenMpiNeedsDynamicRules) {
  const Setting forced{"OMPI_MCA_coll_tuned_reduce_algorithm", "5"};
  const Setting obeyed{"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"};
  EXPECT_EQ(algorithm(open_mpi, Kind::reduce, {forced}), "");
  EXPECT_EQ(algorithm(open_mpi, Kind::reduce, {forced, {obeyed.name, "0"}}), "");
  EXPECT_EQ(algorithm(open_mpi, Kind::reduce, {forced, obeyed}), "5");
  EXPECT_EQ(algorithm(open_mpi, Kind::allreduce, {forced, obeyed}), "");
  EXPECT_EQ(algorithm(open_mpi, Kind::reduce, {forced, obeyed}, Start::nonblocking), "");
}

TEST(ForcedAlgorithm, OfMpichAndIntelMpiIsTheValueOfTheirVariable) {
  EXPECT_EQ(algorithm(mpich, Kind::reduce, {{"MPIR_CVAR_REDUCE_INTRA_ALGORITHM", "binomial"}}), "binomial");
  EXPECT_EQ(algorithm(mpich, Kind::reduce, {{"MPIR_CVAR_IREDUCE_INTRA_ALGORITHM", "tsp_tree"}}), "");
  EXPECT_EQ(algorithm(mpich, Kind::reduce, {{"MPIR_CVAR_IREDUCE_INTRA_ALGORITHM", "tsp_tree"}}, Start::nonblocking),
            "tsp_tree");
  EXPECT_EQ(algorithm(intel, Kind::alltoall, {{"I_MPI_ADJUST_ALLTOALL", "3"}}), "3");
}

TEST(ForcedAlgorithm, OfMpichMayBeGivenByAnAliasOfItsVariable) {
  const Setting alias{"MPICH_REDUCE_INTRA_ALGORITHM", "binomial"};
  const Setting older{"MPIR_PARAM_REDUCE_INTRA_ALGORITHM", "smp"};
  const Setting variable{"MPIR_CVAR_REDUCE_INTRA_ALGORITHM", "reduce_scatter_gather"};
  for (const Setting& each : {alias, older, variable}) EXPECT_TRUE(chooses_algorithms(each.name, mpich)) << each.name;
  EXPECT_EQ(algorithm(mpich, Kind::reduce, {alias}), "binomial");
  EXPECT_EQ(algorithm(mpich, Kind::reduce, {older, alias}), "smp");
  EXPECT_EQ(algorithm(mpich, Kind::reduce, {variable, older, alias}), "reduce_scatter_gather");
}

TEST(ForcedAlgorithm, NeedsAnIntracommunicatorOfSeveralProcesses) {
  const std::vector<Setting> forced{{"I_MPI_ADJUST_ALLTOALL", "3"}};
  EXPECT_EQ(algorithm(intel, Kind::alltoall, forced, Start::blocking, {.id = 2, .size = 1}), "");
  EXPECT_EQ(algorithm(intel, Kind::alltoall, forced, Start::blocking, {.id = 2, .size = 4, .remote_size = 4}), "");
}

TEST(ForcedAlgorithm, IgnoresVariablesOfOtherLibraries) {
  EXPECT_TRUE(chooses_algorithms("OMPI_MCA_coll_tuned_dynamic_rules_filename", open_mpi));
  EXPECT_TRUE(chooses_algorithms("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", mpich));
  EXPECT_TRUE(chooses_algorithms("I_MPI_ADJUST_REDUCE", intel));
  EXPECT_FALSE(chooses_algorithms("OMPI_MCA_coll_tuned_reduce_algorithm", mpich));
  EXPECT_FALSE(chooses_algorithms("I_MPI_ADJUST_REDUCE", open_mpi));
  EXPECT_FALSE(chooses_algorithms("MPIR_CVAR_ENABLE_GPU", mpich));
  EXPECT_EQ(algorithm(mpich, Kind::reduce, {{"I_MPI_ADJUST_REDUCE", "5"}}), "");
}

}  // namespace
}  // namespace laxity::trace
