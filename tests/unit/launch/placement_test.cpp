#include "laxity/launch/placement.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <set>
#include <thread>

namespace laxity {
namespace {

TEST(Placement, GivesEachWorkerAProcessorOfItsOwnWhileThereAreEnough) {
  const auto processors = allowed_processors();
  const Placement placement = plan_placement(static_cast<int>(processors.size()), PinPolicy::automatic);
  EXPECT_FALSE(placement.oversubscribed);
  EXPECT_EQ(placement.processor_of_worker, processors);
  EXPECT_EQ(std::set<int>(processors.begin(), processors.end()).size(), processors.size());
  EXPECT_NE(placement.description.find("pinned to"), std::string::npos);
}

TEST(Placement, DoesNotPinMoreWorkersThanProcessorsUnlessAsked) {
  const auto processors = allowed_processors();
  const int workers = static_cast<int>(processors.size()) + 1;
  const Placement automatic = plan_placement(workers, PinPolicy::automatic);
  EXPECT_TRUE(automatic.oversubscribed);
  EXPECT_TRUE(automatic.processor_of_worker.empty());
  EXPECT_NE(automatic.description.find("not pinned (oversubscribed)"), std::string::npos);

  const Placement always = plan_placement(workers, PinPolicy::always);
  ASSERT_EQ(always.processor_of_worker.size(), static_cast<std::size_t>(workers));
  EXPECT_EQ(always.processor_of_worker.back(), processors[0]);
  EXPECT_TRUE(plan_placement(1, PinPolicy::never).processor_of_worker.empty());
}

TEST(Placement, StaysInsideTheAffinityMask) {
  std::thread confined([] {  // in its own thread, because the affinity mask remains
    const int last = allowed_processors().back();
    ASSERT_TRUE(pin_this_thread(last));
    EXPECT_EQ(sched_getcpu(), last);
    EXPECT_EQ(allowed_processors(), std::vector<int>{last});
    EXPECT_EQ(allowed_cores(), 1);
    EXPECT_EQ(plan_placement(1, PinPolicy::automatic).processor_of_worker, std::vector<int>{last});
  });
  confined.join();
}

TEST(Placement, RefusesProcessorsThatAreNotThere) {
  EXPECT_FALSE(pin_this_thread(-1));
  EXPECT_FALSE(pin_this_thread(100'000));
}

}  // namespace
}  // namespace laxity
