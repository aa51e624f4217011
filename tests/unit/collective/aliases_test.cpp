#include "laxity/collective/aliases.hpp"

#include <gtest/gtest.h>

#include <string>

namespace laxity::collective {
namespace {

const std::vector<Algorithm> allreduce{{1, "basic_linear"}, {2, "nonoverlapping"}, {3, "recursive_doubling"},
                                       {4, "ring"},         {5, "segmented_ring"}, {6, "rabenseifner"}};
const std::vector<Algorithm> bcast{
    {1, "basic_linear"}, {2, "chain"},   {3, "pipeline"},          {4, "split_binary_tree"},     {5, "binary_tree"},
    {6, "binomial"},     {7, "knomial"}, {8, "scatter_allgather"}, {9, "scatter_allgather_ring"}};

// "4=3 5=3": the ids of aliases and of the algorithms that run. The expected ids are from message counts of Open MPI 4.1.4.
std::string found(Collective collective, const std::vector<Algorithm>& all, int processes, std::size_t bytes) {
  std::string text;
  for (const Alias& alias : aliases(Library::open_mpi, collective, all, processes, bytes)) {
    if (!text.empty()) text += ' ';
    text += std::to_string(alias.algorithm.id);
    text += '=';
    text += std::to_string(alias.runs.id);
  }
  return text;
}

TEST(Aliases, OfOpenMpiMatchItsMessageCounts) {
  EXPECT_EQ(found(Collective::allreduce, allreduce, 8, 4), "4=3 5=3 6=1");
  EXPECT_EQ(found(Collective::allreduce, allreduce, 8, 4096), "5=4");
  EXPECT_EQ(found(Collective::bcast, bcast, 8, 4), "4=3 8=1 9=1");
  EXPECT_EQ(found(Collective::bcast, bcast, 8, 4096), "");
  EXPECT_EQ(found(Collective::bcast, bcast, 4, 4096), "2=1 6=5 7=1");
  EXPECT_EQ(found(Collective::bcast, bcast, 3, 4096), "2=1 5=1 6=1 7=1");
}

TEST(Aliases, TheAlgorithmThatRunsIsNeverAnAlias) {
  for (const int processes : {2, 3, 4, 5, 6, 7, 8, 16, 33}) {
    for (const std::size_t bytes : {4U, 8U, 64U, 4096U}) {
      const auto all = aliases(Library::open_mpi, Collective::bcast, bcast, processes, bytes);
      for (const Alias& alias : all) {
        for (const Alias& other : all) EXPECT_NE(alias.runs, other.algorithm) << processes << ' ' << bytes;
      }
    }
  }
}

TEST(Aliases, OtherLibrariesHaveNone) { EXPECT_TRUE(aliases(Library::mpich, Collective::bcast, bcast, 3, 4).empty()); }

TEST(Usable, AlgorithmsForTwoProcessesNeedTwo) {
  EXPECT_TRUE(is_usable(Library::open_mpi, "4.1.4", Collective::alltoall, {5, "two_proc"}, 2));
  EXPECT_FALSE(is_usable(Library::open_mpi, "4.1.4", Collective::alltoall, {5, "two_proc"}, 3));
  EXPECT_FALSE(is_usable(Library::mpich, "4.0.2", Collective::reduce_scatter, {2, "noncommutative"}, 6));
  EXPECT_TRUE(is_usable(Library::mpich, "4.0.2", Collective::reduce_scatter, {2, "noncommutative"}, 8));
  EXPECT_TRUE(is_usable(Library::mpich, "4.0.2", Collective::allreduce, {2, "smp"}, 8));
  EXPECT_FALSE(is_usable(Library::mpich, "5.0.2", Collective::allreduce, {2, "smp"}, 8));
}

}  // namespace
}  // namespace laxity::collective
