#include "laxity/launch/barrier.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "laxity/transport/segment.hpp"

namespace laxity {
namespace {

class BarrierInMemory {
 public:
  explicit BarrierInMemory(int members, WaitStyle style = WaitStyle::yield)
      : memory_(Segment::private_memory(Barrier::bytes_needed(members))),
        barrier(Barrier::create(memory_.data(), members, style)) {}

 private:
  Segment memory_;

 public:
  Barrier barrier;
};

class EveryTeamSize : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Barrier, EveryTeamSize, testing::Values(1, 2, 3, 5));

// A plain (not atomic) cell per member: no member may see an old value after the barrier, which the thread sanitizer
// checks too.
TEST_P(EveryTeamSize, NobodyPassesBeforeAllHaveArrived) {
  const int members = GetParam();
  const BarrierInMemory memory(members);
  std::vector<int> cells(static_cast<std::size_t>(members));
  std::atomic<int> faults{0};
  std::vector<std::thread> threads;
  for (int id = 0; id < members; ++id)
    threads.emplace_back([&, id] {
      BarrierMember member(memory.barrier, id);
      for (int round = 1; round <= 300; ++round) {
        cells[static_cast<std::size_t>(id)] = round;
        if (!member.arrive_and_wait()) ++faults;
        for (const int cell : cells) faults += cell != round;
        if (!member.arrive_and_wait()) ++faults;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(faults.load(), 0);
}

TEST(Barrier, GoesOnWithoutMembersThatLeave) {
  constexpr int members = 4;
  const BarrierInMemory memory(members);
  std::array<std::atomic<int>, members> rounds{};
  std::vector<std::thread> threads;
  for (int id = 0; id < members; ++id)
    threads.emplace_back([&, id] {
      BarrierMember member(memory.barrier, id);
      for (int round = 0; round < 50 * (id + 1); ++round)
        rounds[static_cast<std::size_t>(id)] += member.arrive_and_wait();
      member.leave();
    });
  for (std::thread& thread : threads) thread.join();
  for (int id = 0; id < members; ++id) EXPECT_EQ(rounds[static_cast<std::size_t>(id)].load(), 50 * (id + 1));
}

TEST(Barrier, BreaksUnderThoseWhoWaitAndThoseWhoComeLater) {
  const BarrierInMemory memory(2);
  std::atomic<bool> waited{true};
  std::thread waiter([&] {
    BarrierMember member(memory.barrier, 0);
    waited = member.arrive_and_wait();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));  // it may spin, yield or sleep by then
  memory.barrier.break_up();
  waiter.join();
  EXPECT_FALSE(waited.load());
  BarrierMember late(memory.barrier, 1);
  EXPECT_FALSE(late.arrive_and_wait());
  EXPECT_TRUE(memory.barrier.broken());
}

TEST(Barrier, WakesAWaiterThatHasGoneToSleep) {
  const BarrierInMemory memory(2);
  std::atomic<bool> passed{false};
  std::thread waiter([&] {
    BarrierMember member(memory.barrier, 0);
    passed = member.arrive_and_wait();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(passed.load());
  BarrierMember(memory.barrier, 1).announce(1);
  waiter.join();
  EXPECT_TRUE(passed.load());
}

TEST(Barrier, NumbersMayBeSkippedAndMeetAtTheHighest) {
  const BarrierInMemory memory(2);
  BarrierMember first(memory.barrier, 0), second(memory.barrier, 1);
  second.announce(12);
  EXPECT_TRUE(first.reach(10));
  EXPECT_TRUE(first.reach(12));
  second.leave();
  EXPECT_TRUE(first.reach(1'000'000));
}

}  // namespace
}  // namespace laxity
