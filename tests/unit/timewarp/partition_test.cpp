#include "laxity/timewarp/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace laxity::timewarp {
namespace {

TEST(Partition, BlocksAreContiguousAndDifferByAtMostOne) {
  for (LpId all = 1; all < 120; ++all) {
    for (int workers = 1; workers < 30; ++workers) {
      const Partition partition(all, workers);
      LpId next = 0;
      LpId smallest = all;
      LpId largest = 0;
      for (int worker = 0; worker < workers; ++worker) {
        ASSERT_EQ(partition.first(worker), next);
        smallest = std::min(smallest, partition.size(worker));
        largest = std::max(largest, partition.size(worker));
        for (LpId i = 0; i < partition.size(worker); ++i) ASSERT_EQ(partition.worker_of(next++), worker);
      }
      ASSERT_EQ(next, all);
      ASSERT_LE(largest - smallest, 1U) << all << " processes on " << workers << " workers";
    }
  }
}

TEST(Partition, HasRoomForTheLargestNumberOfProcesses) {
  const LpId all = ~LpId{0};
  const Partition partition(all, 7);
  EXPECT_EQ(partition.worker_of(all - 1), 6);
  EXPECT_EQ(partition.first(7), all);
}

}  // namespace
}  // namespace laxity::timewarp
