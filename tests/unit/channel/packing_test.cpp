#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "laxity/channel/accumulating_channels.hpp"
#include "laxity/channel/aggregated_channels.hpp"
#include "laxity/channel/channel.hpp"
#include "laxity/channel/pooled_channels.hpp"
#include "laxity/random.hpp"

namespace laxity {
namespace {

template <class Ring = SpscRing>
std::pair<AnySender, AnyReceiver> make_ends(std::size_t depth, std::size_t bytes) {
  auto link = make_link<Ring>({depth, bytes});
  return {AnySender(std::move(link.sender)), AnyReceiver(std::move(link.receiver))};
}

template <class T>
struct PoolEnds {
  explicit PoolEnds(std::size_t channels, std::size_t depth, Overflow overflow = Overflow::drop_newest)
      : PoolEnds(channels, with_ring(overflow, [&]<class Ring>() {
                   return make_ends<Ring>(depth, value_frame_bytes<T>(channels));
                 })) {}
  PoolEnds(std::size_t channels, std::pair<AnySender, AnyReceiver> ends)
      : inlet(std::move(ends.first), channels), outlet(std::move(ends.second), channels) {}
  PooledInlet<T> inlet;
  PooledOutlet<T> outlet;
};

TEST(PackHeader, LowBitsRestoreTheCount) {
  using Count = std::uint64_t;
  constexpr Count turn = Count{1} << 32;
  for (const Count known : {Count{0}, Count{1}, turn / 2, turn - 1, turn, turn + 1, 5 * turn - 3, ~turn}) {
    for (const Count step : {Count{0}, Count{1}, Count{2}, turn / 2 - 1}) {
      EXPECT_EQ(whole_count(known, static_cast<std::uint32_t>(known + step)), known + step);
      if (step <= known) {
        EXPECT_EQ(whole_count(known, static_cast<std::uint32_t>(known - step)), known - step);
      }
    }
  }
  EXPECT_EQ(whole_count(0, ~0U), turn - 1) << "a count is never negative";
}

TEST(PooledChannels, MessagesOfFramesThatWereOvertakenAreNotCountedAgain) {
  auto [sender, receiver] = make_ends(4, value_frame_bytes<int>(1));
  PooledOutlet<int> outlet(std::move(receiver), 1);
  for (const std::uint32_t sent : {3U, 5U, 4U, 6U}) {  // the frame of 4 comes late
    const PackHeader header{0, sent};
    std::memcpy(sender.try_claim(), &header, sizeof header);
    sender.publish(value_frame_bytes<int>(1));
    outlet.try_step();
    EXPECT_EQ(outlet.received(), sent == 4 ? 5U : sent);
  }
}

TEST(PooledChannels, AllChannelsTravelInOneFrame) {
  PoolEnds<int> pool(70, 2);
  for (std::size_t i = 0; i < 70; ++i) pool.inlet.put(i, static_cast<int>(i * i));
  EXPECT_TRUE(pool.inlet.try_flush());
  EXPECT_EQ(pool.outlet.jump(), 1U);
  for (std::size_t i = 0; i < 70; ++i) {
    EXPECT_EQ(pool.outlet.get(i), static_cast<int>(i * i));
    EXPECT_TRUE(pool.outlet.fresh(i));
  }
  EXPECT_EQ(pool.outlet.received(), 70U);
}

TEST(PooledChannels, AValueDoesNotChangeUnderGetWithoutAPull) {
  PoolEnds<int> pool(1, 1);
  pool.inlet.put(0, 1);
  ASSERT_TRUE(pool.inlet.try_flush());
  pool.outlet.jump();
  const int& shown = pool.outlet.values()[0];
  for (int message = 2; message < 10; ++message) {
    pool.inlet.put(0, message);
    (void)pool.inlet.try_flush();
    ASSERT_EQ(shown, 1);
  }
}

TEST(PooledChannels, WhatWasRefusedGoesLaterAndAlwaysInItsNewestForm) {
  PoolEnds<int> pool(2, 1);
  pool.inlet.put(0, 1);
  ASSERT_TRUE(pool.inlet.try_flush());
  pool.inlet.put(0, 2);
  pool.inlet.put(1, 20);
  EXPECT_FALSE(pool.inlet.try_flush());
  pool.inlet.put(0, 3);  // 2 is lost: charged to channel 0 and to nobody else
  EXPECT_FALSE(pool.inlet.try_flush());
  EXPECT_EQ(pool.inlet.lost(0), 1U);
  EXPECT_EQ(pool.inlet.lost(1), 0U);
  pool.outlet.jump();
  EXPECT_TRUE(pool.inlet.try_flush());
  pool.outlet.jump();
  EXPECT_EQ(pool.outlet.get(0), 3);
  EXPECT_EQ(pool.outlet.get(1), 20);
}

TEST(PooledChannels, AChannelThatSkipsRoundsHoldsUpNobodyAndStaysInStep) {
  PoolEnds<int> pool(3, 4);
  for (int round = 1; round <= 20; ++round) {
    for (std::size_t i = 0; i < 3; ++i)
      if (round % static_cast<int>(i + 1) == 0) pool.inlet.put(i, 100 * static_cast<int>(i) + round);
    ASSERT_TRUE(pool.inlet.try_flush());
    ASSERT_EQ(pool.outlet.try_step(), 1U);
    for (std::size_t i = 0; i < 3; ++i) {
      const int last = round - round % static_cast<int>(i + 1);
      EXPECT_EQ(pool.outlet.get(i), last == 0 ? 0 : 100 * static_cast<int>(i) + last);
      EXPECT_EQ(pool.outlet.fresh(i), last == round);
    }
  }
}

TEST(PooledChannels, NothingIsSentWithoutAPut) {
  PoolEnds<int> pool(2, 2);
  EXPECT_TRUE(pool.inlet.try_flush());
  EXPECT_EQ(pool.outlet.jump(), 0U);
}

// puts = sent + lost + waiting, per channel and at every moment, under every policy; and what is sent is received.
TEST(PooledChannels, AccountingIsExactPerChannel) {
  for (const auto overflow : {Overflow::drop_newest, Overflow::drop_oldest, Overflow::latest}) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      SeededRandom random(seed);
      const std::size_t channels = 1 + random.below(130);
      PoolEnds<std::uint64_t> pool(channels, 1 + random.below(3), overflow);
      std::vector<std::uint64_t> puts(channels), newest(channels);
      for (std::uint64_t turn = 1; turn < 400; ++turn) {
        const std::size_t i = random.below(static_cast<std::uint32_t>(channels));
        pool.inlet.put(i, turn);
        ++puts[i];
        newest[i] = turn;
        if (random.below(5) == 0) (void)pool.inlet.try_flush();
        if (random.below(9) == 0) pool.outlet.jump();
        std::uint64_t all_puts = 0, lost = 0;
        for (std::size_t c = 0; c < channels; ++c) all_puts += puts[c], lost += pool.inlet.lost(c);
        ASSERT_EQ(all_puts, pool.inlet.sent() + lost + pool.inlet.waiting());
        ASSERT_LE(pool.outlet.received(), pool.inlet.sent());
      }
      pool.outlet.jump();
      while (!pool.inlet.try_flush()) pool.outlet.jump();
      pool.outlet.jump();
      ASSERT_EQ(pool.outlet.received(), pool.inlet.sent());
      for (std::size_t c = 0; c < channels; ++c) ASSERT_EQ(pool.outlet.get(c), newest[c]);
    }
  }
}

TEST(AggregatedChannels, CarriesAnyNumberOfMessagesOfAnySize) {
  auto [sender, receiver] = make_ends(4, 512);
  AggregatedInlet<std::string> inlet(std::move(sender), 3);
  AggregatedOutlet<std::string> outlet(std::move(receiver), 3);
  for (const char* word : {"one", "", "three words here"}) ASSERT_TRUE(inlet.try_put(2, word));
  ASSERT_TRUE(inlet.try_put(0, "x"));
  EXPECT_TRUE(inlet.try_flush());
  ASSERT_EQ(outlet.try_step(), 1U);
  EXPECT_EQ(std::vector<std::string>(outlet.messages(2).begin(), outlet.messages(2).end()),
            (std::vector<std::string>{"one", "", "three words here"}));
  EXPECT_EQ(outlet.messages(0).size(), 1U);
  EXPECT_TRUE(outlet.messages(1).empty());
  EXPECT_EQ(outlet.try_step(), 0U);
  EXPECT_TRUE(outlet.messages(2).empty()) << "a pull that receives nothing shows no old messages";
  EXPECT_EQ(outlet.get(2), "three words here");
}

TEST(AggregatedChannels, AJumpKeepsTheNewestOfChannelsAbsentFromTheLastFrame) {
  auto [sender, receiver] = make_ends(8, 256);
  AggregatedInlet<int> inlet(std::move(sender), 3);
  AggregatedOutlet<int> outlet(std::move(receiver), 3, -1);
  ASSERT_TRUE(inlet.try_put(0, 1) && inlet.try_put(0, 2) && inlet.try_put(1, 10));
  inlet.try_flush();
  ASSERT_TRUE(inlet.try_put(1, 11));
  inlet.try_flush();
  EXPECT_EQ(outlet.jump(), 2U);
  EXPECT_EQ(outlet.get(0), 2);
  EXPECT_EQ(outlet.get(1), 11);
  EXPECT_EQ(outlet.get(2), -1);
  EXPECT_EQ(outlet.received(), 4U);
}

TEST(AggregatedChannels, PutsArePerChannelEitherRefusedOrDelivered) {
  auto [sender, receiver] = make_ends(2, 128);
  AggregatedInlet<std::uint64_t> inlet(std::move(sender), 5);
  AggregatedOutlet<std::uint64_t> outlet(std::move(receiver), 5);
  SeededRandom random(8);
  std::vector<std::vector<std::uint64_t>> accepted(5), received(5);
  const auto pull = [&] {
    while (outlet.try_step() != 0)
      for (std::size_t i = 0; i < 5; ++i)
        for (const std::uint64_t message : outlet.messages(i)) received[i].push_back(message);
  };
  for (std::uint64_t message = 0; message < 5000; ++message) {
    const std::size_t i = random.below(5);
    if (inlet.try_put(i, message)) accepted[i].push_back(message);
    if (random.below(6) == 0) inlet.try_flush();
    if (random.below(20) == 0) pull();
  }
  inlet.try_flush();
  pull();
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(received[i], accepted[i]);
    EXPECT_EQ(inlet.attempted(i), inlet.refused(i) + accepted[i].size());
    EXPECT_GT(inlet.refused(i), 0U);
  }
}

TEST(AccumulatingChannels, ConservesTheTotalAtEveryMoment) {
  constexpr std::size_t channels = 67;
  auto [sender, receiver] = make_ends(1, value_frame_bytes<std::int64_t>(channels));
  AccumulatingInlet<std::int64_t> inlet(std::move(sender), channels);
  AccumulatingOutlet<std::int64_t> outlet(std::move(receiver), channels);
  SeededRandom random(12);
  std::int64_t put = 0, taken = 0, in_flight = 0;
  for (int turn = 0; turn < 20'000; ++turn) {
    const std::size_t i = random.below(channels);
    switch (random.below(6)) {
      case 0:
        taken += outlet.take(i);
        EXPECT_EQ(outlet.get(i), 0) << "taken twice";
        break;
      case 1: {
        std::int64_t waiting = 0;
        for (std::size_t c = 0; c < channels; ++c) waiting += inlet.waiting(c);
        if (inlet.waiting() != 0 && inlet.try_flush()) in_flight += waiting;
        break;
      }
      case 2:
        if (outlet.jump() != 0) in_flight = 0;
        break;
      default: {
        const auto mass = static_cast<std::int64_t>(random.below(1000)) - 300;
        inlet.put(i, mass);
        put += mass;
      }
    }
    std::int64_t elsewhere = in_flight;
    for (std::size_t c = 0; c < channels; ++c) elsewhere += inlet.waiting(c) + outlet.get(c);
    ASSERT_EQ(put, taken + elsewhere);
  }
}

TEST(AccumulatingChannels, MergesWithTheOperatorGiven) {
  struct Larger {
    int operator()(int a, int b) const { return std::max(a, b); }
  };
  auto [sender, receiver] = make_ends(4, value_frame_bytes<int>(1));
  AccumulatingInlet<int, Larger> inlet(std::move(sender), 1);
  AccumulatingOutlet<int, Larger> outlet(std::move(receiver), 1);
  for (const int message : {-5, -9}) inlet.put(0, message);
  inlet.try_flush();
  inlet.put(0, -7);
  inlet.try_flush();
  outlet.jump();
  EXPECT_EQ(outlet.take(0), -5) << "the neutral element of + has no part in it";
}

TEST(AccumulatingChannels, ALossyTransportIsRefused) {
  auto [sender, receiver] = make_ends<LatestSlot>(1, value_frame_bytes<int>(1));
  EXPECT_THROW(AccumulatingInlet<int>(std::move(sender), 1), UsageError);
}

}  // namespace
}  // namespace laxity
