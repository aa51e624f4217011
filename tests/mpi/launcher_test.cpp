// The launcher and the library must belong to the same MPI; otherwise every rank would be the only one.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>
#include <string>

namespace {

TEST(Launcher, StartsTheNumberOfRanksThatTheTestDeclares) {
  const char* declared = std::getenv("LAXITY_RANKS");
  ASSERT_NE(declared, nullptr) << "run this test with ctest";
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT_EQ(size, std::stoi(declared));
}

}  // namespace
