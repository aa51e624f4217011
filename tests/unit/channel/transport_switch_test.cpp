// Channels that switch to another transport while messages are in flight.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "laxity/channel/channel.hpp"
#include "laxity/clock/clock.hpp"
#include "laxity/random.hpp"
#include "laxity/transport/impaired.hpp"

namespace laxity {
namespace {

constexpr RingShape shape{3, sizeof(int)};

TEST(TransportSwitch, EverythingAcceptedBeforeIsShownFirstAndInOrder) {
  auto [inlet, outlet] = channel<int>({.send_depth = 3});
  ASSERT_TRUE(inlet.try_put(1));
  ASSERT_TRUE(inlet.try_put(2));
  auto link = make_link<SpscRing>(shape);
  inlet.switch_transport(std::move(link.sender));
  ASSERT_TRUE(inlet.try_put(3));
  outlet.switch_transport(std::move(link.receiver));
  ASSERT_TRUE(inlet.try_put(4));
  EXPECT_EQ(outlet.next_or_nullopt(), 1);
  EXPECT_EQ(outlet.jump(), 1U);
  EXPECT_EQ(outlet.get(), 2);
  EXPECT_EQ(outlet.next_or_nullopt(), 3);
  EXPECT_EQ(outlet.next_or_nullopt(), 4);
  EXPECT_EQ(outlet.next_or_nullopt(), std::nullopt);
}

TEST(TransportSwitch, TheOutletMayMoveFirst) {
  auto [inlet, outlet] = channel<int>({.send_depth = 3});
  auto link = make_link<SpscRing>(shape);
  ASSERT_TRUE(inlet.try_put(1));
  outlet.switch_transport(std::move(link.receiver));
  EXPECT_EQ(outlet.next_or_nullopt(), 1);
  ASSERT_TRUE(inlet.try_put(2));  // still through the old home
  EXPECT_EQ(outlet.next_or_nullopt(), 2);
  inlet.switch_transport(std::move(link.sender));
  EXPECT_EQ(outlet.next_or_nullopt(), std::nullopt);
  ASSERT_TRUE(inlet.try_put(3));
  EXPECT_EQ(outlet.next_or_nullopt(), 3);
}

TEST(TransportSwitch, WhatIsShownStaysUntilTheNextPullThatMoves) {
  auto [inlet, outlet] = channel<int>();
  inlet.put(9);
  const int& shown = outlet.get_next();
  auto link = make_link<SpscRing>(shape);
  outlet.switch_transport(std::move(link.receiver));
  inlet.switch_transport(std::move(link.sender));
  EXPECT_EQ(outlet.try_step(), 0U);
  EXPECT_EQ(shown, 9);
}

TEST(TransportSwitch, CountsGoOnOverThePolicyThatLoses) {
  auto [inlet, outlet] = channel<int>({.overflow = Overflow::latest});
  for (int message = 0; message < 5; ++message) inlet.try_put(message);
  EXPECT_EQ(outlet.jump(), 1U);
  auto link = make_link<LatestSlot>(shape);
  inlet.switch_transport(std::move(link.sender));
  outlet.switch_transport(std::move(link.receiver));
  for (int message = 5; message < 8; ++message) inlet.try_put(message);
  EXPECT_EQ(outlet.jump(), 1U);
  EXPECT_EQ(outlet.get(), 7);
  EXPECT_EQ(outlet.jump(), 0U);
  inlet.try_put(8);
  inlet.try_put(9);
  outlet.jump();
  EXPECT_EQ(outlet.counters().received() + outlet.counters().superseded.read(), inlet.counters().attempted.read());
}

TEST(TransportSwitch, ALimitOfZeroMovesNothingAndLosesNothing) {
  auto [inlet, outlet] = channel<int>({.send_depth = 3});
  ASSERT_TRUE(inlet.try_put(1));
  ASSERT_TRUE(inlet.try_put(2));
  auto link = make_link<SpscRing>(shape);
  inlet.switch_transport(std::move(link.sender));
  outlet.switch_transport(std::move(link.receiver));
  ASSERT_TRUE(inlet.try_put(3));
  for (int expected = 1; expected <= 3; ++expected) {
    EXPECT_EQ(outlet.try_step(0), 0U);
    EXPECT_EQ(outlet.next_or_nullopt(), expected);
  }
  EXPECT_EQ(outlet.counters().received(), 3U);
}

// The first frame in the new transport does not prove that all frames of one that delays have arrived.
TEST(TransportSwitch, FromATransportThatDelaysIsRefusedAtBothEndsAndLosesNothing) {
  ManualClock clock;
  auto old_home = make_link<SpscRing>({3, sizeof(int) + impairment_bytes});
  auto impaired = impair(std::move(old_home.sender), std::move(old_home.receiver), {.delay_ns = 100}, 1, clock);
  Inlet<int> inlet{AnySender(std::move(impaired.sender))};
  Outlet<int> outlet{AnyReceiver(std::move(impaired.receiver))};
  ASSERT_TRUE(inlet.try_put(1));
  auto link = make_link<SpscRing>(shape);
  EXPECT_THROW(inlet.switch_transport(std::move(link.sender)), UsageError);
  EXPECT_THROW(outlet.switch_transport(std::move(link.receiver)), UsageError);
  EXPECT_FALSE(outlet.is_switching());
  ASSERT_TRUE(inlet.try_put(2));
  clock.set_ns(100);
  EXPECT_EQ(outlet.next_or_nullopt(), 1);
  EXPECT_EQ(outlet.next_or_nullopt(), 2);
}

TEST(TransportSwitch, FromAnImpairedTransportThatDoesNotDelayIsPossible) {
  auto old_home = make_link<SpscRing>({3, sizeof(int) + impairment_bytes});
  auto impaired = impair(std::move(old_home.sender), std::move(old_home.receiver), {}, 1, ManualClock());
  Inlet<int> inlet{AnySender(std::move(impaired.sender))};
  Outlet<int> outlet{AnyReceiver(std::move(impaired.receiver))};
  ASSERT_TRUE(inlet.try_put(1));
  auto link = make_link<SpscRing>(shape);
  inlet.switch_transport(std::move(link.sender));
  outlet.switch_transport(std::move(link.receiver));
  ASSERT_TRUE(inlet.try_put(2));
  EXPECT_EQ(outlet.next_or_nullopt(), 1);
  EXPECT_EQ(outlet.next_or_nullopt(), 2);
}

// Two threads; the ends switch transports repeatedly and independently while messages flow. Nothing is lost or
// swapped.
TEST(TransportSwitch, LosesNothingBetweenThreadsHoweverOften) {
  constexpr int homes = 200;
  std::vector<Link<SpscRing>> links;
  for (int home = 0; home <= homes; ++home) links.push_back(make_link<SpscRing>(shape));
  Inlet<int> inlet(std::move(links[0].sender));
  Outlet<int> outlet(std::move(links[0].receiver), -1);
  constexpr int messages = 60'000;
  std::jthread producer([&] {
    SeededRandom random(3);
    int home = 0;
    for (int message = 0; message < messages; ++message) {
      inlet.put(message);
      if (random.below(250) == 0 && home < homes)
        inlet.switch_transport(std::move(links[static_cast<std::size_t>(++home)].sender));
    }
    while (home < homes) {  // a move is over when something was sent
      inlet.switch_transport(std::move(links[static_cast<std::size_t>(++home)].sender));
      inlet.put(messages + home);
    }
  });
  // The outlet must not begin a switch before the last one is complete.
  int home = 0, expected = 0;
  bool moving = false;
  while (home < homes || moving) {
    if (!moving) outlet.switch_transport(std::move(links[static_cast<std::size_t>(++home)].receiver)), moving = true;
    if (outlet.try_step() == 0) continue;
    if (outlet.get() < messages) {
      ASSERT_EQ(outlet.get(), expected++);
    } else {
      ASSERT_EQ(expected, messages);
    }
    moving = outlet.is_switching();
  }
  while (expected < messages) {
    if (outlet.try_step() == 0) continue;
    ASSERT_EQ(outlet.get(), expected++);
  }
  producer.join();
}

// From one thread to two, and from there to another process.
TEST(TransportSwitch, ReachesAnotherProcess) {
  Arena arena(Segment::shared(1 << 20), 16);
  const BlockKey key("far");
  auto [inlet, outlet] = channel<int>({.send_depth = 4});
  for (int message = 1; message <= 3; ++message) ASSERT_TRUE(inlet.try_put(message));  // in this process, never stepped
  inlet.switch_transport(shared_sender<SpscRing>(arena, key, shape));
  // The child inherits the outlet with what was accepted by the old transport, and receives from the parent through the new one.
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    outlet.switch_transport(shared_receiver<SpscRing>(arena, key, shape));
    for (int expected = 1; expected <= 2000; ++expected)
      if (outlet.get_next() != expected) _exit(1);
    _exit(0);
  }
  for (int message = 4; message <= 2000; ++message) inlet.put(message);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace laxity
