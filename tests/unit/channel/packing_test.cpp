#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <numeric>
#include <string>
#include <thread>
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
  std::uint64_t frames = 0;
  for (const std::uint32_t sent : {3U, 5U, 4U, 6U}) {  // the frame of 4 comes late
    const PackHeader header{0, sent};
    const std::uint64_t bitmap = 1;
    std::byte* const room = sender.try_claim();
    std::memcpy(room, &header, sizeof header);
    std::memcpy(room + sizeof header, &bitmap, sizeof bitmap);
    sender.publish(value_frame_bytes<int>(1));
    outlet.try_step();
    EXPECT_EQ(outlet.arrivals().received(), ++frames);
    EXPECT_EQ(outlet.arrivals().received() + outlet.arrivals().superseded(), sent == 4 ? 5U : sent);
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
  EXPECT_EQ(pool.outlet.arrivals().received(), 70U);
  EXPECT_EQ(pool.outlet.arrivals().laden_channels(), 70U);
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
  EXPECT_EQ(pool.inlet.counts(0).refused, 1U);
  EXPECT_EQ(pool.inlet.counts(1).refused, 0U);
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

TEST(PooledChannels, AValueReplacedBeforeAnyFlushIsSupersededAndOneThatWasRefusedIsRefused) {
  PoolEnds<int> pool(1, 1);
  pool.inlet.put(0, 1);
  pool.inlet.put(0, 2);  // replaces 1, which no flush has tried to send
  EXPECT_TRUE(pool.inlet.try_flush());
  pool.inlet.put(0, 3);
  EXPECT_FALSE(pool.inlet.try_flush());
  pool.inlet.put(0, 4);  // replaces 3, for which there was no room
  pool.inlet.put(0, 5);  // replaces 4
  EXPECT_EQ(pool.inlet.counts().attempted, 5U);
  EXPECT_EQ(pool.inlet.counts().superseded, 2U);
  EXPECT_EQ(pool.inlet.counts().refused, 1U);
}

TEST(PooledChannels, FlushWaitsForRoom) {
  PoolEnds<int> pool(1, 1);
  pool.inlet.put(0, 1);
  pool.inlet.flush();
  pool.inlet.put(0, 2);
  std::jthread receiver([&] {
    while (pool.outlet.get(0) != 1) pool.outlet.try_step();
    while (pool.outlet.get(0) != 2) pool.outlet.try_step();
  });
  pool.inlet.flush();
  EXPECT_EQ(pool.inlet.waiting(), 0U);
}

/// What each channel has had so far, told by a model of the transport: a queue of frames, of which one that overwrites
/// keeps the newest.
template <std::size_t channels>
struct PackModel {
  using Counts = std::array<std::uint64_t, channels>;

  void send(const Counts& messages, std::size_t capacity) {
    in_flight.push_back(messages);
    if (in_flight.size() <= capacity) return;
    add(in_flight.front(), overwritten);
    in_flight.pop_front();
  }
  void receive(std::size_t frames) {
    for (; frames != 0; --frames, in_flight.pop_front()) add(in_flight.front(), received);
  }
  static void add(const Counts& messages, Counts& to) {
    for (std::size_t i = 0; i < channels; ++i) to[i] += messages[i];
  }

  std::deque<Counts> in_flight;
  Counts received{}, overwritten{};
};

constexpr std::uint64_t sum(const auto& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

// attempted = refused + superseded + waiting + overwritten + received + in flight: per channel, at every moment, as a model
// says that counts every message itself.
TEST(PooledChannels, AccountingIsExactPerChannel) {
  constexpr std::size_t channels = 67;
  for (const auto overflow : {Overflow::drop_newest, Overflow::drop_oldest, Overflow::latest}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      SeededRandom random(seed);
      const std::size_t depth = overflow == Overflow::latest ? 1 : 1 + random.below(3);
      PoolEnds<std::uint64_t> pool(channels, depth, overflow);
      PackModel<channels> model;
      PackModel<channels>::Counts attempted{}, refused{}, superseded{}, waiting{}, was_refused{}, newest{};
      for (std::uint64_t turn = 1; turn < 1500; ++turn) {
        const std::size_t i = random.below(channels);
        if (waiting[i] != 0) ++(was_refused[i] != 0 ? refused : superseded)[i];
        ++attempted[i], waiting[i] = 1, was_refused[i] = 0, newest[i] = turn;
        pool.inlet.put(i, turn);
        if (random.below(5) == 0) {
          const bool has_room = overflow != Overflow::drop_newest || model.in_flight.size() < depth;
          ASSERT_EQ(pool.inlet.try_flush(), has_room);
          if (has_room)
            model.send(waiting, depth), waiting = was_refused = {};
          else
            was_refused = waiting;
        }
        if (random.below(9) == 0) {
          const std::size_t frames =
              random.below(2) == 0 ? std::min<std::size_t>(model.in_flight.size(), 1) : model.in_flight.size();
          ASSERT_EQ(frames < 2 ? pool.outlet.try_step() : pool.outlet.jump(), frames);
          model.receive(frames);
          if (frames != 0 && model.in_flight.empty()) {
            ASSERT_EQ(pool.outlet.arrivals().superseded(), sum(model.overwritten));
          }
        }
        for (std::size_t c = 0; c < channels; ++c) {
          const InletObservation& in = pool.inlet.counts(c);
          ASSERT_EQ(in.attempted, attempted[c]);
          ASSERT_EQ(in.refused, refused[c]);
          ASSERT_EQ(in.superseded, superseded[c]);
          ASSERT_EQ(pool.outlet.arrivals().received(c), model.received[c]);
          std::uint64_t in_flight = 0;
          for (const auto& frame : model.in_flight) in_flight += frame[c];
          ASSERT_EQ(in.attempted, in.refused + in.superseded + waiting[c] + model.overwritten[c] +
                                      pool.outlet.arrivals().received(c) + in_flight);
        }
        ASSERT_EQ(pool.outlet.arrivals().received(), sum(model.received));
      }
      pool.outlet.jump();
      pool.inlet.flush();
      pool.outlet.jump();
      for (std::size_t c = 0; c < channels; ++c) ASSERT_EQ(pool.outlet.get(c), newest[c]);
      EXPECT_GT(overflow == Overflow::drop_newest ? sum(refused) : sum(model.overwritten), 0U);
      EXPECT_GT(sum(superseded), 0U);
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
  EXPECT_EQ(outlet.arrivals().received(), 4U);
  EXPECT_EQ(outlet.arrivals().laden_channels(), 2U);
}

// attempted = refused + waiting + overwritten + received + in flight: per channel, at every moment, and every message that
// arrives is the one that was sent.
TEST(AggregatedChannels, AccountingIsExactPerChannel) {
  constexpr std::size_t channels = 5, depth = 2;
  for (const auto overflow : {Overflow::drop_newest, Overflow::drop_oldest}) {
    auto [sender, receiver] = with_ring(overflow, []<class Ring>() { return make_ends<Ring>(depth, 128); });
    AggregatedInlet<std::uint64_t> inlet(std::move(sender), channels);
    AggregatedOutlet<std::uint64_t> outlet(std::move(receiver), channels);
    SeededRandom random(8);
    PackModel<channels> model;
    PackModel<channels>::Counts attempted{}, refused{}, waiting{};
    std::vector<std::vector<std::uint64_t>> accepted(channels), shown(channels);
    for (std::uint64_t message = 0; message < 5000; ++message) {
      const std::size_t i = random.below(channels);
      ++attempted[i];
      if (inlet.try_put(i, message))
        ++waiting[i], accepted[i].push_back(message);
      else
        ++refused[i];
      if (random.below(6) == 0) {
        inlet.flush();
        if (sum(waiting) != 0) model.send(waiting, depth), waiting = {};
      }
      if (random.below(20) == 0) {
        const std::size_t frames = model.in_flight.size();
        ASSERT_EQ(outlet.jump([&] {
          for (std::size_t c = 0; c < channels; ++c)
            for (const std::uint64_t each : outlet.messages(c)) shown[c].push_back(each);
        }),
                  frames);
        model.receive(frames);
        if (frames != 0) {
          ASSERT_EQ(outlet.arrivals().superseded(), sum(model.overwritten));
        }
      }
      for (std::size_t c = 0; c < channels; ++c) {
        ASSERT_EQ(inlet.counts(c).attempted, attempted[c]);
        ASSERT_EQ(inlet.counts(c).refused, refused[c]);
        ASSERT_EQ(outlet.arrivals().received(c), model.received[c]);
        ASSERT_EQ(outlet.arrivals().received(c), shown[c].size());
        std::uint64_t in_flight = 0;
        for (const auto& frame : model.in_flight) in_flight += frame[c];
        ASSERT_EQ(attempted[c], refused[c] + waiting[c] + model.overwritten[c] + model.received[c] + in_flight);
      }
      ASSERT_EQ(inlet.counts().attempted, message + 1);
      ASSERT_EQ(inlet.counts().refused, sum(refused));
    }
    EXPECT_GT(sum(refused), 0U) << "a frame that is full refuses under every policy";
    if (overflow != Overflow::drop_newest) {
      EXPECT_GT(sum(model.overwritten), 0U);
      continue;
    }
    outlet.jump([&] {
      for (std::size_t c = 0; c < channels; ++c)
        for (const std::uint64_t each : outlet.messages(c)) shown[c].push_back(each);
    });
    inlet.flush();
    outlet.jump([&] {
      for (std::size_t c = 0; c < channels; ++c)
        for (const std::uint64_t each : outlet.messages(c)) shown[c].push_back(each);
    });
    EXPECT_EQ(shown, accepted);
  }
}

TEST(AccumulatingChannels, ConservesTheTotalAtEveryMoment) {
  constexpr std::size_t channels = 67;
  auto [sender, receiver] = make_ends(1, value_frame_bytes<std::int64_t>(channels));
  AccumulatingInlet<std::int64_t> inlet(std::move(sender), channels);
  AccumulatingOutlet<std::int64_t> outlet(std::move(receiver), channels);
  SeededRandom random(12);
  std::int64_t put = 0, taken = 0, in_flight = 0;
  std::uint64_t puts = 0, in_flight_puts = 0;
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
        const std::uint64_t waiting_puts = inlet.waiting();
        if (waiting_puts != 0 && inlet.try_flush()) in_flight += waiting, in_flight_puts += waiting_puts;
        break;
      }
      case 2:
        if (outlet.jump() != 0) in_flight = 0, in_flight_puts = 0;
        break;
      default: {
        const auto mass = static_cast<std::int64_t>(random.below(1000)) - 300;
        inlet.put(i, mass);
        put += mass;
        ++puts;
      }
    }
    std::int64_t elsewhere = in_flight;
    for (std::size_t c = 0; c < channels; ++c) elsewhere += inlet.waiting(c) + outlet.get(c);
    ASSERT_EQ(put, taken + elsewhere);
    ASSERT_EQ(inlet.counts().attempted, inlet.waiting() + inlet.sent());
    ASSERT_EQ(inlet.counts().attempted, puts);
    ASSERT_LE(outlet.arrivals().received(), inlet.sent());
    if (in_flight_puts == 0) {
      ASSERT_EQ(outlet.arrivals().received(), inlet.sent());
    }
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
