// Every algorithm of the running MPI gives the correct result or an error, the same on all processes.
#include "laxity/collective/benchmark/algorithms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "laxity/collective/aliases.hpp"
#include "laxity/collective/benchmark/operation.hpp"
#include "laxity/error.hpp"

namespace laxity::collective {
namespace {

// MPI is initialized before main, so the environment variable must be set earlier.
const bool switched_on = [] {
  enable_algorithm_forcing();
  return true;
}();

mpi::Result run_active(const ForcedAlgorithm& forced, Operation& operation) {
  const auto active = forced.activate();
  return operation.run(forced.communicator());
}

bool on_all(bool mine) {
  int all = mine ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all != 0;
}

TEST(Algorithms, TheLibraryListsThemForEveryCollective) {
  ASSERT_TRUE(switched_on);
  const LibraryAlgorithms algorithms;
  EXPECT_EQ(algorithms.obstacle(), std::nullopt);
  EXPECT_NE(algorithms.library(), Library::other);
  EXPECT_NE(algorithms.version().find('.'), std::string::npos) << algorithms.version();
  for (const Collective collective : all_collectives) {
    const auto& known = algorithms.of(collective);
    EXPECT_GE(known.size(), 2U) << name_of(collective);
    for (const Algorithm& algorithm : known) {
      EXPECT_GT(algorithm.id, 0);
      EXPECT_FALSE(algorithm.name.starts_with("algorithm_")) << name_of(collective) << ' ' << algorithm.name;
    }
  }
}

TEST(Algorithms, EachGivesTheCorrectResultOrAnError) {
  const LibraryAlgorithms algorithms;
  int processes = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  int run = 0;
  for (const Collective collective : all_collectives) {
    std::vector<Algorithm> all = algorithms.of(collective);
    all.push_back({0, "library's own"});
    for (const Algorithm& algorithm : all) {
      if (!is_usable(algorithms.library(), algorithms.version(), collective, algorithm, processes)) continue;
      const ForcedAlgorithm forced = algorithms.force(MPI_COMM_WORLD, collective, algorithm.id);
      for (const std::size_t bytes : {4U, 7U, 4096U}) {
        Operation operation(collective, bytes, MPI_COMM_WORLD);
        const std::string what = std::string(name_of(collective)) + ' ' + algorithm.name + ' ' + std::to_string(bytes);
        for (std::uint32_t round = 0; round < 2; ++round) {
          operation.fill(round);
          const bool works = run_active(forced, operation).succeeded();
          EXPECT_EQ(on_all(works), works) << what << ": the processes disagree";
          if (!works) break;
          EXPECT_TRUE(operation.is_correct(round)) << what << " round " << round;
          ++run;
        }
      }
    }
  }
  EXPECT_GT(run, 9 * 3 * 2);
}

TEST(Algorithms, SeveralCanBeForcedBesideTheLibrarysOwnChoice) {
  const LibraryAlgorithms algorithms;
  const auto collective = Collective::allreduce;
  const auto& known = algorithms.of(collective);
  Operation operation(collective, 64, MPI_COMM_WORLD);
  {
    const ForcedAlgorithm first = algorithms.force(MPI_COMM_WORLD, collective, known[0].id);
    const ForcedAlgorithm second = algorithms.force(MPI_COMM_WORLD, collective, known[1].id);
    for (std::uint32_t round = 0; round < 3; ++round) {
      for (const ForcedAlgorithm* const forced : {&first, &second}) {
        operation.fill(round);
        const bool works = operation.run(forced->communicator()).succeeded();
        EXPECT_TRUE(!works || operation.is_correct(round));
      }
    }
  }
  operation.fill(1);
  ASSERT_TRUE(operation.run(MPI_COMM_WORLD).succeeded());
  EXPECT_TRUE(operation.is_correct(1));
}

TEST(Algorithms, UnknownOnesAreRefused) {
  const LibraryAlgorithms algorithms;
  EXPECT_THROW(static_cast<void>(algorithms.force(MPI_COMM_WORLD, Collective::reduce, 99)), UsageError);
}

TEST(Operation, DetectsAWrongValue) {
  Operation operation(Collective::alltoall, 64, MPI_COMM_WORLD);
  operation.fill(1);
  EXPECT_FALSE(operation.is_correct(1));
  ASSERT_TRUE(operation.run(MPI_COMM_WORLD).succeeded());
  EXPECT_TRUE(operation.is_correct(1));
  EXPECT_FALSE(operation.is_correct(2));
}

}  // namespace
}  // namespace laxity::collective
