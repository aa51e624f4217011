#include "laxity/transport/overwriting_ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "laxity/transport/latest_slot.hpp"
#include "ring_memory.hpp"

namespace laxity {
namespace {

using testing::RingMemory;
using Ring = RingMemory<OverwritingRing>;

TEST(OverwritingRing, ShowsAnEmptyFrameAtFirst) {
  Ring ring({3, 8});
  EXPECT_TRUE(ring.receiver->frame().empty());
  EXPECT_EQ(ring.receiver->try_step(1), 0u);
  EXPECT_EQ(ring.receiver->jump(), 0u);
  EXPECT_EQ(ring.receiver->superseded(), 0u);
}

TEST(OverwritingRing, NeverRefusesAndKeepsTheNewest) {
  Ring ring({3, 8});
  for (std::uint64_t i = 1; i <= 10; ++i) ASSERT_TRUE(ring.send(i));
  EXPECT_EQ(ring.receiver->try_step(1), 1u);
  EXPECT_EQ(ring.shown(), 8u);
  EXPECT_EQ(ring.receiver->superseded(), 7u);
  EXPECT_EQ(ring.receiver->try_step(1), 1u);
  EXPECT_EQ(ring.shown(), 9u);
  EXPECT_EQ(ring.receiver->jump(), 1u);
  EXPECT_EQ(ring.shown(), 10u);
  EXPECT_EQ(ring.receiver->superseded(), 7u);
}

TEST(OverwritingRing, NothingOldComesBackWhenNothingNewCame) {
  Ring ring({4, 8});
  for (std::uint64_t i = 1; i <= 4; ++i) ASSERT_TRUE(ring.send(i));
  EXPECT_EQ(ring.receiver->jump(), 4u);  // frames 1 to 3 are still in the ring
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(ring.receiver->try_step(1), 0u);
    EXPECT_EQ(ring.receiver->jump(), 0u);
    EXPECT_EQ(ring.shown(), 4u);
  }
  ASSERT_TRUE(ring.send(5));
  EXPECT_EQ(ring.receiver->try_step(1), 1u);
  EXPECT_EQ(ring.shown(), 5u);
}

TEST(OverwritingRing, ShownFrameStaysHoweverOftenTheSenderGoesRound) {
  Ring ring({2, 8});
  ASSERT_TRUE(ring.send(1));
  ASSERT_EQ(ring.receiver->try_step(1), 1u);
  for (std::uint64_t i = 2; i < 30; ++i) {
    ASSERT_TRUE(ring.send(i));
    ASSERT_EQ(ring.shown(), 1u);
  }
}

TEST(OverwritingRing, SequencesWrapAround) {
  for (const std::uint64_t start : {(std::uint64_t{1} << 43) - 5, std::uint64_t{0} - 6, (std::uint64_t{1} << 32) - 5}) {
    RingMemory<OverwritingRing> ring({4, 8}, start);
    std::uint64_t passed = 0;
    std::uint64_t superseded = 0;
    for (std::uint64_t i = 1; i <= 40; ++i) {
      ASSERT_TRUE(ring.send(i));
      if (i % 6 != 0) continue;
      ring.attach_sender();
      ring.attach_receiver();
      passed += ring.receiver->jump() + ring.receiver->superseded() - superseded;
      superseded = ring.receiver->superseded();
      ASSERT_EQ(passed, i);
      ASSERT_EQ(ring.shown(), i);
    }
  }
}

TEST(OverwritingRing, FramesOfEverySizeUpToTheCapacity) {
  for (const std::size_t capacity : {0u, 1u, 8u, 56u, 57u, 5000u}) {
    Ring ring({2, capacity});
    EXPECT_EQ(ring.sender->frame_capacity(), capacity);
    for (const std::size_t bytes : {std::size_t{0}, capacity / 2, capacity}) {
      std::byte* room = ring.sender->try_claim();
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(room) % 8, 0u);
      std::fill_n(room, bytes, static_cast<std::byte>(bytes));
      ring.sender->publish(bytes);
      ASSERT_EQ(ring.receiver->try_step(1), 1u);
      ASSERT_EQ(ring.receiver->frame().size(), bytes);
      for (const std::byte byte : ring.receiver->frame()) ASSERT_EQ(byte, static_cast<std::byte>(bytes));
    }
  }
}

TEST(OverwritingRing, RefusesShapesThatMakeNoSense) {
  EXPECT_THROW((void)OverwritingRing::bytes_needed({0, 8}), UsageError);
  EXPECT_THROW((void)OverwritingRing::bytes_needed({std::size_t{1} << 20, 8}), UsageError);
}

// Random calls against an oracle that keeps the newest `depth` numbers. One thread, so nothing overtakes a receiver.
TEST(OverwritingRing, AgreesWithAnOracle) {
  std::uint64_t random = 88172645463325252u;
  const auto draw = [&random](std::uint64_t below) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    return random % below;
  };
  for (std::size_t depth = 1; depth <= 7; ++depth) {
    Ring ring({depth, 8});
    std::uint64_t sent = 0;
    std::uint64_t passed = 0;  // number shown
    std::uint64_t superseded = 0;
    for (int call = 0; call < 4000; ++call) {
      if (draw(100) < 55) {
        ASSERT_TRUE(ring.send(++sent));
        continue;
      }
      if (draw(10) == 0) ring.attach_receiver();
      const std::uint64_t limit = draw(4);
      const std::uint64_t oldest = sent > depth ? std::max(passed, sent - depth) : passed;
      const std::uint64_t expected = std::min(limit, sent - oldest);
      ASSERT_EQ(ring.receiver->try_step(limit), expected);
      if (limit == 0) continue;
      superseded += oldest - passed;
      passed = oldest + expected;
      ASSERT_EQ(ring.shown(), passed);
      ASSERT_EQ(ring.receiver->superseded(), superseded);
    }
  }
}

TEST(LatestSlot, ShowsTheNewestWhateverDepthIsAsked) {
  RingMemory<LatestSlot> slot({64, 8});
  for (std::uint64_t i = 1; i <= 10; ++i) ASSERT_TRUE(slot.send(i));
  EXPECT_EQ(slot.receiver->try_step(1), 1u);
  EXPECT_EQ(slot.shown(), 10u);
  EXPECT_EQ(slot.receiver->superseded(), 9u);
  EXPECT_EQ(slot.receiver->try_step(1), 0u);
  EXPECT_EQ(slot.shown(), 10u);
}

}  // namespace
}  // namespace laxity
