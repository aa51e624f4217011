#include "laxity/channel/channel.hpp"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "laxity/random.hpp"
#include "tests/property/largest_allocation.hpp"

namespace laxity {
namespace {

TEST(Channel, ShowsTheInitialValueBeforeAnyMessage) {
  auto [inlet, outlet] = channel<int>({}, 42);
  EXPECT_EQ(outlet.get(), 42);
  EXPECT_EQ(outlet.try_step(), 0U);
  EXPECT_EQ(outlet.jump_get(), 42);
  EXPECT_EQ(outlet.next_or_nullopt(), std::nullopt);
  ASSERT_TRUE(inlet.try_put(7));
  EXPECT_EQ(outlet.get(), 42) << "a put is not a pull";
  EXPECT_EQ(outlet.get_next(), 7);
}

TEST(Channel, StepsShowEveryMessageAndJumpsTheNewest) {
  auto [inlet, outlet] = channel<int>({.send_depth = 8});
  for (int message = 1; message <= 8; ++message) ASSERT_TRUE(inlet.try_put(message));
  EXPECT_FALSE(inlet.try_put(9)) << "full";
  EXPECT_EQ(outlet.try_step(), 1U);
  EXPECT_EQ(outlet.get(), 1);
  EXPECT_EQ(outlet.try_step(3), 3U);
  EXPECT_EQ(outlet.get(), 4);
  EXPECT_EQ(outlet.next_or_nullopt(), 5);
  EXPECT_EQ(outlet.jump(), 3U);
  EXPECT_EQ(outlet.get(), 8);
  EXPECT_EQ(outlet.jump(), 0U);
  EXPECT_EQ(outlet.get(), 8) << "stays when nothing new came";
}

TEST(Channel, SendAndReceiveDepthTogetherAreTheBufferOfOneNode) {
  auto [inlet, outlet] = channel<int>({.send_depth = 2, .receive_depth = 3});
  int accepted = 0;
  while (inlet.try_put(accepted)) ++accepted;
  EXPECT_EQ(accepted, 5);
}

TEST(Channel, WhatGetShowsIsNotOverwrittenHoweverManyMessagesFollow) {
  for (const auto overflow : {Overflow::drop_newest, Overflow::drop_oldest, Overflow::latest}) {
    using Block = std::array<std::uint64_t, 9>;
    auto [inlet, outlet] = channel<Block>({.send_depth = 2, .overflow = overflow});
    Block block;
    block.fill(1);
    inlet.try_put(block);
    const Block& shown = outlet.get_next();
    for (std::uint64_t message = 2; message < 50; ++message) {
      block.fill(message);
      inlet.try_put(block);
      for (const std::uint64_t word : shown) ASSERT_EQ(word, 1U) << to_string(overflow);
    }
  }
}

TEST(Channel, CountsWhatThePapersMetricsNeed) {
  auto [inlet, outlet] = channel<int>({.send_depth = 2});
  for (int message = 0; message < 5; ++message) inlet.try_put(message);
  EXPECT_EQ(inlet.counters().attempted.read(), 5U);
  EXPECT_EQ(inlet.counters().refused.read(), 3U);
  outlet.jump();
  outlet.try_step();
  outlet.jump();
  EXPECT_EQ(outlet.counters().pulls(), 3U);
  EXPECT_EQ(outlet.counters().laden.read(), 1U);
  EXPECT_EQ(outlet.counters().received(), 2U);
}

TEST(Channel, PutWaitsForRoomAndStepForAMessage) {
  auto [inlet, outlet] = channel<int>({.send_depth = 1});
  constexpr int messages = 20'000;
  std::thread producer([&inlet = inlet] {
    for (int message = 0; message < messages; ++message) inlet.put(message);
  });
  for (int expected = 0; expected < messages; ++expected) ASSERT_EQ(outlet.get_next(), expected);
  producer.join();
  EXPECT_EQ(inlet.counters().refused.read(), 0U) << "waiting is not a refusal";
}

TEST(Channel, PutGivesUpWhenItIsTold) {
  auto [inlet, outlet] = channel<int>({.send_depth = 1});
  ASSERT_TRUE(inlet.try_put(1));
  int asked = 0;
  EXPECT_FALSE(inlet.put(2, [&] { return ++asked == 10; }));
  EXPECT_EQ(inlet.counters().refused.read(), 1U);
}

TEST(Channel, StepGivesUpWhenItIsTold) {
  auto [inlet, outlet] = channel<int>({.send_depth = 2});
  int asked = 0;
  EXPECT_FALSE(outlet.step([&] { return ++asked == 10; }));
  EXPECT_EQ(asked, 10);
  EXPECT_EQ(outlet.counters().pulls(), 1U);
  ASSERT_TRUE(inlet.try_put(1));
  EXPECT_TRUE(outlet.step([] { return true; })) << "a message that is there is shown";
  EXPECT_EQ(outlet.get(), 1);
}

TEST(Channel, MessagesCanBeWrittenInPlace) {
  using Large = std::array<double, 1500>;  // 12 kB
  auto [inlet, outlet] = channel<Large>({.send_depth = 1});
  Large* room = inlet.try_claim();
  ASSERT_NE(room, nullptr);
  room->fill(2.5);
  inlet.publish_claimed();
  EXPECT_EQ(inlet.try_claim(), nullptr);
  EXPECT_EQ(inlet.counters().refused.read(), 1U);
  EXPECT_EQ(outlet.get_next()[1499], 2.5);
  EXPECT_EQ(inlet.counters().attempted.read(), 2U);
}

TEST(Channel, UnchangedMessagesAreSparedOnRequest) {
  auto [inlet, outlet] = channel<std::string>({.send_depth = 8, .send_on_change = true});
  for (const char* word : {"a", "a", "a", "b", "a"}) EXPECT_TRUE(inlet.try_put(word));
  EXPECT_EQ(inlet.counters().unchanged.read(), 2U);
  EXPECT_EQ(outlet.get_next(), "a");
  EXPECT_EQ(outlet.get_next(), "b");
  EXPECT_EQ(outlet.get_next(), "a");
  EXPECT_EQ(outlet.try_step(), 0U);
}

TEST(Channel, AMessageWrittenInPlaceIsTheOneThatLaterMessagesAreComparedWith) {
  auto [inlet, outlet] = channel<int>({.send_depth = 8, .send_on_change = true});
  const auto put_in_place = [&inlet = inlet](int message) {
    int* const room = inlet.try_claim();
    ASSERT_NE(room, nullptr);
    *room = message;
    inlet.publish_claimed();
  };
  EXPECT_TRUE(inlet.try_put(1));
  put_in_place(2);
  EXPECT_TRUE(inlet.try_put(1)) << "differs from 2";
  put_in_place(1);
  EXPECT_TRUE(inlet.try_put(1));
  put_in_place(3);
  for (const int expected : {1, 2, 1, 3}) EXPECT_EQ(outlet.next_or_nullopt(), expected);
  EXPECT_EQ(outlet.next_or_nullopt(), std::nullopt);
  EXPECT_EQ(inlet.counters().attempted.read(), 6U);
  EXPECT_EQ(inlet.counters().unchanged.read(), 2U);
}

TEST(Channel, ComparingMessagesAllocatesNothing) {
  auto [inlet, outlet] = channel<std::vector<int>>({.send_depth = 8, .send_on_change = true, .max_bytes = 4000});
  std::vector<int> small(10), large(1000);
  (void)take_largest_allocation();
  for (const auto& message : {std::cref(small), std::cref(large), std::cref(large), std::cref(small)})
    EXPECT_TRUE(inlet.try_put(message));
  EXPECT_EQ(take_largest_allocation(), 0U);
  EXPECT_EQ(inlet.counters().unchanged.read(), 1U);
}

TEST(Channel, VariableLengthUpToTheStatedMaximum) {
  auto [inlet, outlet] = channel<std::vector<int>>({.max_bytes = 16});
  EXPECT_TRUE(inlet.try_put({}));
  EXPECT_TRUE(inlet.try_put({1, 2, 3, 4}));
  EXPECT_THROW(inlet.try_put({1, 2, 3, 4, 5}), PayloadTooLarge);
  EXPECT_EQ(inlet.counters().attempted.read(), 2U);
  EXPECT_TRUE(outlet.get_next().empty());
  EXPECT_EQ(outlet.get_next(), (std::vector{1, 2, 3, 4}));
}

TEST(Channel, EndsOfDifferentTypesOrShapesAreRefused) {
  Arena arena(Segment::private_memory(1 << 16), 8);
  (void)sink<std::uint64_t>(arena, BlockKey("number"));
  EXPECT_THROW((void)source<double>(arena, BlockKey("number")), TypeMismatch);
  EXPECT_THROW((void)source<std::uint32_t>(arena, BlockKey("number")), TypeMismatch) << "not only of another size";
  EXPECT_NO_THROW((void)source<std::uint64_t>(arena, BlockKey("number")));
  (void)sink<std::array<char, 8>>(arena, BlockKey("text"));
  EXPECT_THROW((void)(source<std::array<char, 7>>(arena, BlockKey("text"))), TypeMismatch) << "rings of equal size";
}

TEST(Channel, ADepthOfZeroIsAUsageError) { EXPECT_THROW((void)channel<int>({.send_depth = 0}), UsageError); }

TEST(Channel, EndsCanBeMovedWhileAMessageIsShown) {
  auto made = channel<std::string>({}, "first");
  made.inlet.put("second");
  auto outlet = std::move(made.outlet);
  EXPECT_EQ(outlet.get(), "first");
  EXPECT_EQ(outlet.get_next(), "second");
  auto moved = std::move(outlet);
  EXPECT_EQ(moved.get(), "second");
}

TEST(Channel, TwoWorkersMeetInAnArena) {
  Arena arena(Segment::private_memory(1 << 20), 16);
  const BlockKey key("talk", 0, 1);
  auto inlet = sink<int>(arena, key, {.send_depth = 3});
  auto outlet = source<int>(arena, key, {.send_depth = 3}, -1);
  EXPECT_EQ(outlet.get(), -1);
  inlet.put(5);
  EXPECT_EQ(outlet.get_next(), 5);
}

TEST(Channel, WithoutVirtualCallsOverATransportOfKnownType) {
  auto link = make_link<SpscRing>({.depth = 2, .frame_capacity = sizeof(int)});
  auto [inlet, outlet] = channel_over<int>(std::move(link.sender), std::move(link.receiver), 3);
  EXPECT_EQ(outlet.get(), 3);
  inlet.put(4);
  EXPECT_EQ(outlet.get_next(), 4);
}

// Random calls against a deque; attempts = refused + received + superseded + in flight after every call.
TEST(Channel, BehavesAsADequeWouldUnderEveryPolicy) {
  for (const auto overflow : {Overflow::drop_newest, Overflow::drop_oldest, Overflow::latest}) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      SCOPED_TRACE(std::string(to_string(overflow)) + ", seed " + std::to_string(seed));
      SeededRandom random(seed);
      const std::size_t depth = 1 + random.below(5);
      const std::size_t room = overflow == Overflow::latest ? 1 : depth;
      auto [inlet, outlet] = channel<std::uint64_t>({.send_depth = depth, .overflow = overflow});
      std::deque<std::uint64_t> queue;
      std::uint64_t shown = 0, superseded = 0;
      for (std::uint64_t message = 1; message < 300; ++message) {
        switch (random.below(4)) {
          case 0:
          case 1: {
            const bool fits = queue.size() < room;
            ASSERT_EQ(inlet.try_put(message), fits || overflow != Overflow::drop_newest);
            if (!fits && overflow != Overflow::drop_newest) queue.pop_front(), ++superseded;
            if (fits || overflow != Overflow::drop_newest) queue.push_back(message);
            break;
          }
          case 2: {
            const std::size_t limit = 1 + random.below(3);
            const std::size_t moved = std::min(limit, queue.size());
            ASSERT_EQ(outlet.try_step(limit), moved);
            for (std::size_t i = 0; i < moved; ++i) shown = queue.front(), queue.pop_front();
            break;
          }
          case 3:
            ASSERT_EQ(outlet.jump(), queue.size());
            if (!queue.empty()) shown = queue.back(), queue.clear();
            break;
        }
        ASSERT_EQ(outlet.get(), shown);
        const auto& in = inlet.counters();
        const auto& out = outlet.counters();
        ASSERT_LE(out.superseded.read(), superseded);
        ASSERT_EQ(in.attempted.read(), in.refused.read() + out.received() + superseded + queue.size());
      }
    }
  }
}

}  // namespace
}  // namespace laxity
