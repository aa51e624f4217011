#include "laxity/launch/launcher.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <initializer_list>
#include <utility>

namespace laxity {
namespace {

class Launcher : public testing::Test {
 protected:
  void SetUp() override { forget_all(); }
  void TearDown() override { forget_all(); }

  static void set(std::initializer_list<std::pair<const char*, const char*>> variables) {
    for (const auto& [name, value] : variables) ::setenv(name, value, 1);
  }

 private:
  static void forget_all() {
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS",
                             "PMI_RANK", "PMI_SIZE"})
      ::unsetenv(name);
  }
};

TEST_F(Launcher, NobodyHasStartedAProcessThatIsAlone) {
  EXPECT_FALSE(launched());
  EXPECT_TRUE(is_reporting_rank());
}

TEST_F(Launcher, OpenMpiIsKnownByItsMarks) {
  set({{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "4"}});
  const auto launch = launched();
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->family, "Open MPI");
  EXPECT_EQ(launch->rank, 3);
  EXPECT_EQ(launch->size, 4);
  EXPECT_FALSE(is_reporting_rank());
}

TEST_F(Launcher, MpichIsKnownByItsMarks) {
  set({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}});
  const auto launch = launched();
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->family, "MPICH");
  EXPECT_TRUE(is_reporting_rank());
}

TEST_F(Launcher, SlurmStartsRanksOfAnyMpi) {
  set({{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}, {"PMI_RANK", "1"}, {"PMI_SIZE", "2"}});
  const auto launch = launched();
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->launcher, "srun of Slurm");
  EXPECT_EQ(launch->family, "");
}

TEST_F(Launcher, AProcessOfABatchScriptIsAlone) {
  set({{"SLURM_PROCID", "0"}});
  EXPECT_FALSE(launched());
}

TEST_F(Launcher, MarksThatMakeNoSenseAreNone) {
  for (const auto& [rank, size] : {std::pair{"2", "2"}, {"-1", "2"}, {"1x", "2"}, {"", "2"}, {"0", "0"}}) {
    set({{"OMPI_COMM_WORLD_RANK", rank}, {"OMPI_COMM_WORLD_SIZE", size}});
    EXPECT_FALSE(launched()) << rank << ' ' << size;
  }
}

}  // namespace
}  // namespace laxity
