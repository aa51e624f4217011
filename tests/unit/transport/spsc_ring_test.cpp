#include "laxity/transport/spsc_ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>

#include "laxity/random.hpp"
#include "ring_memory.hpp"

namespace laxity {
namespace {

using testing::RingMemory;
using Ring = RingMemory<SpscRing>;

TEST(SpscRing, ShowsAnEmptyFrameAtFirst) {
  Ring ring({4, 8});
  EXPECT_TRUE(ring.receiver->frame().empty());
  EXPECT_EQ(ring.receiver->try_step(1), 0u);
  EXPECT_EQ(ring.receiver->jump(), 0u);
  EXPECT_TRUE(ring.receiver->frame().empty());
}

TEST(SpscRing, AcceptsDepthFramesBeyondTheOneShown) {
  for (const std::size_t depth : {1u, 2u, 3u, 64u}) {
    Ring ring({depth, 8});
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    for (std::size_t step = 0; step < 3 * depth; ++step) {
      while (ring.send(sent + 1)) ++sent;
      ASSERT_EQ(sent, received + depth);
      ASSERT_EQ(ring.shown(), received);
      ASSERT_EQ(ring.receiver->try_step(1), 1u);
      ASSERT_EQ(ring.shown(), ++received);
    }
  }
}

TEST(SpscRing, ShownFrameStaysWhateverTheSenderDoes) {
  Ring ring({1, 8});
  ASSERT_TRUE(ring.send(1));
  ASSERT_EQ(ring.receiver->try_step(1), 1u);
  const std::byte* place = ring.receiver->frame().data();
  ASSERT_TRUE(ring.send(2));
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(ring.send(3));
  EXPECT_EQ(ring.shown(), 1u);
  EXPECT_EQ(ring.receiver->frame().data(), place);
}

TEST(SpscRing, StepMovesAtMostTheLimit) {
  Ring ring({8, 8});
  for (std::uint64_t i = 1; i <= 6; ++i) ASSERT_TRUE(ring.send(i));
  EXPECT_EQ(ring.receiver->try_step(0), 0u);
  EXPECT_EQ(ring.receiver->try_step(4), 4u);
  EXPECT_EQ(ring.shown(), 4u);
  EXPECT_EQ(ring.receiver->try_step(4), 2u);
  EXPECT_EQ(ring.shown(), 6u);
}

TEST(SpscRing, JumpShowsTheNewest) {
  Ring ring({4, 8});
  EXPECT_EQ(ring.receiver->jump(), 0u);
  ASSERT_TRUE(ring.send(1));
  EXPECT_EQ(ring.receiver->jump(), 1u);
  EXPECT_EQ(ring.shown(), 1u);
  for (std::uint64_t i = 2; i <= 5; ++i) ASSERT_TRUE(ring.send(i));
  EXPECT_EQ(ring.receiver->jump(), 4u);
  EXPECT_EQ(ring.shown(), 5u);
  EXPECT_EQ(ring.receiver->jump(), 0u);
  EXPECT_EQ(ring.shown(), 5u);
}

TEST(SpscRing, PositionsWrapAround) {
  for (const std::uint64_t start : {(std::uint64_t{1} << 32) - 5, (std::uint64_t{1} << 43) - 5}) {
    for (const std::size_t depth : {1u, 2u, 6u}) {
      RingMemory<SpscRing> ring({depth, 8}, start);
      for (std::uint64_t i = 1; i <= 40; ++i) {
        ASSERT_TRUE(ring.send(i));
        if (i % 4 == 0) ring.attach_sender();
        if (i % 7 == 0) ring.attach_receiver();
        ASSERT_EQ(ring.receiver->jump(), 1u) << "start " << start << " depth " << depth << " frame " << i;
        ASSERT_EQ(ring.shown(), i);
      }
    }
  }
}

TEST(SpscRing, FramesOfEverySizeUpToTheCapacity) {
  for (const std::size_t capacity : {0u, 1u, 7u, 8u, 57u, 216u, 5000u}) {
    Ring ring({3, capacity});
    EXPECT_EQ(ring.sender->frame_capacity(), capacity);
    for (std::size_t round = 0; round < 3; ++round) {
      for (const std::size_t bytes : {std::size_t{0}, capacity / 2, capacity}) {
        std::byte* room = ring.sender->try_claim();
        ASSERT_NE(room, nullptr);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(room) % 8, 0u);
        std::fill_n(room, bytes, static_cast<std::byte>(bytes + round));
        ring.sender->publish(bytes);
      }
      for (const std::size_t bytes : {std::size_t{0}, capacity / 2, capacity}) {
        ASSERT_EQ(ring.receiver->try_step(1), 1u);
        ASSERT_EQ(ring.receiver->frame().size(), bytes);
        for (const std::byte byte : ring.receiver->frame()) ASSERT_EQ(byte, static_cast<std::byte>(bytes + round));
      }
    }
  }
}

TEST(SpscRing, ClaimingAgainGivesTheSameRoom) {
  Ring ring({2, 8});
  std::byte* room = ring.sender->try_claim();
  EXPECT_EQ(ring.sender->try_claim(), room);
  ASSERT_TRUE(ring.send(1));
  EXPECT_NE(ring.sender->try_claim(), room);
}

TEST(SpscRing, StagedFramesAppearTogetherAtTheFlush) {
  Ring ring({4, 8});
  for (std::uint64_t i = 1; i <= 3; ++i) {
    std::byte* room = ring.sender->try_claim();
    ASSERT_NE(room, nullptr);
    std::memcpy(room, &i, sizeof i);
    ring.sender->stage(sizeof i);
    EXPECT_EQ(ring.receiver->jump(), 0u);
  }
  ring.sender->flush();
  EXPECT_EQ(ring.receiver->jump(), 3u);
  EXPECT_EQ(ring.shown(), 3u);
  ring.sender->flush();
  EXPECT_EQ(ring.receiver->jump(), 0u);
}

TEST(SpscRing, PublishTakesStagedFramesAlong) {
  Ring ring({4, 8});
  ASSERT_NE(ring.sender->try_claim(), nullptr);
  ring.sender->stage(0);
  ASSERT_TRUE(ring.send(2));
  EXPECT_EQ(ring.receiver->jump(), 2u);
  EXPECT_EQ(ring.shown(), 2u);
}

TEST(SpscRing, RefusalFlushesSoThatNobodyWaitsForTheOther) {
  Ring ring({2, 8});
  for (int i = 0; i < 2; ++i) {
    ASSERT_NE(ring.sender->try_claim(), nullptr);
    ring.sender->stage(0);
  }
  EXPECT_EQ(ring.sender->try_claim(), nullptr);
  EXPECT_EQ(ring.receiver->jump(), 2u);
}

TEST(SpscRing, NewEndsGoOnWhereTheOldOnesStood) {
  Ring ring({5, 8});
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  for (int round = 0; round < 50; ++round) {
    if (ring.send(sent + 1)) ++sent;
    if (ring.send(sent + 1)) ++sent;
    ring.attach_sender();
    received += ring.receiver->try_step(1);
    ring.attach_receiver();
    ASSERT_EQ(ring.shown(), received);
  }
  EXPECT_EQ(sent, received + 4);  // full before the last step
}

TEST(SpscRing, FramesStagedByALostSenderNeverAppear) {
  Ring ring({4, 8});
  ASSERT_TRUE(ring.send(1));
  for (std::uint64_t i = 100; i < 103; ++i) {
    std::byte* room = ring.sender->try_claim();
    ASSERT_NE(room, nullptr);
    std::memcpy(room, &i, sizeof i);
    ring.sender->stage(sizeof i);
  }
  ring.attach_sender();
  ASSERT_TRUE(ring.send(2));
  EXPECT_EQ(ring.receiver->jump(), 2u);
  EXPECT_EQ(ring.shown(), 2u);
}

TEST(SpscRing, RefusesShapesThatMakeNoSense) {
  EXPECT_THROW((void)SpscRing::bytes_needed({0, 8}), UsageError);
  EXPECT_THROW((void)SpscRing::bytes_needed({std::size_t{1} << 40, 8}), UsageError);
  EXPECT_THROW((void)SpscRing::bytes_needed({1, std::size_t{1} << 40}), UsageError);
  alignas(64) std::array<std::byte, 256> memory;
  EXPECT_THROW(SpscRing::initialize(memory.data(), {0, 8}), UsageError);
}

// Random calls against a counting oracle: order, counts and refusals are exact.
TEST(SpscRing, AgreesWithAnOracle) {
  std::uint64_t random = 88172645463325252u;
  const auto draw = [&random](std::uint64_t below) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    return random % below;
  };
  for (std::size_t depth = 1; depth <= 9; ++depth) {
    Ring ring({depth, 8});
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    for (int call = 0; call < 4000; ++call) {
      if (draw(100) < 55) {
        ASSERT_EQ(ring.send(sent + 1), sent - received < depth);
        sent += sent - received < depth ? 1 : 0;
      } else {
        const std::uint64_t limit = draw(4);
        const std::uint64_t expected = std::min(limit, sent - received);
        ASSERT_EQ(ring.receiver->try_step(limit), expected);
        received += expected;
        ASSERT_EQ(ring.shown(), received);
      }
    }
  }
}

// Atomics that drop the store with which a killed owner would have released slots.
struct KilledBeforeGivingBack {
  static inline bool killed = false;
  template <class T>
  struct Atomic : StdAtomics::Atomic<T> {
    using StdAtomics::Atomic<T>::Atomic;
    void store(T value, AtomicSite site) noexcept {
      constexpr int releases_slots = 3;
      if (!killed || site.number != releases_slots) StdAtomics::Atomic<T>::store(value, site);
    }
  };
};

TEST(SpscRing, AReceiverGivesBackWhatAKilledOneDidNot) {
  for (const std::uint64_t depth : {1u, 2u, 200u}) {
    RingMemory<BasicSpscRing<KilledBeforeGivingBack>> ring({depth, 8});
    std::uint64_t sent = 0;
    while (ring.send(sent + 1)) ++sent;
    KilledBeforeGivingBack::killed = true;
    ASSERT_EQ(ring.receiver->jump(), sent);
    KilledBeforeGivingBack::killed = false;
    ring.attach_receiver();
    ASSERT_EQ(ring.shown(), sent);
    for (std::uint64_t frame = 0; frame < depth; ++frame) ASSERT_TRUE(ring.send(++sent)) << "depth " << depth;
    ASSERT_EQ(ring.receiver->jump(), depth);
    ASSERT_EQ(ring.shown(), sent);
  }
}

// A deep ring releases several slots at a time and prefetches at both ends: it may accept slightly more than `depth`
// frames, never less, and everything else is exact, even if ends are replaced.
TEST(SpscRing, DeepRingsAgreeWithAnOracle) {
  SeededRandom random(5);
  for (const std::uint32_t depth : {127u, 128u, 200u, 1024u}) {
    const std::uint64_t most = depth < 128 ? depth : depth + depth / 64;
    for (const std::size_t capacity : {8u, 64u, 216u}) {
      Ring ring({depth, capacity}, (std::uint64_t{1} << 32) - 3 * std::uint64_t{depth});
      std::uint64_t sent = 0;
      std::uint64_t received = 0;
      for (int call = 0; call < 4000; ++call) {
        const std::uint64_t frames = random.below(depth);
        switch (random.below(5)) {
          case 0:
          case 1:
            for (std::uint64_t frame = 0; frame < frames; ++frame) {
              const bool accepted = ring.send(sent + 1);
              ASSERT_TRUE(accepted ? sent - received < most : sent - received >= depth)
                  << depth << " " << sent - received;
              sent += accepted ? 1 : 0;
            }
            break;
          case 2:
            received += ring.receiver->try_step(frames);
            break;
          case 3:
            ASSERT_EQ(ring.receiver->jump(), sent - received);
            received = sent;
            break;
          default:
            random.below(2) == 0 ? ring.attach_sender() : ring.attach_receiver();
        }
        ASSERT_EQ(ring.shown(), received);
      }
      ASSERT_GT(received, 20 * depth);
    }
  }
}

TEST(SpscRing, DeepRingsBetweenThreadsLoseAndTearNothing) {
  using Frame = std::array<std::uint64_t, 27>;
  constexpr std::uint64_t frames = 200'000;
  RingMemory<SpscRing> ring({1024, sizeof(Frame)});
  std::thread sends([&] {
    for (std::uint64_t number = 1; number <= frames;) {
      std::byte* room = ring.sender->try_claim();
      if (room == nullptr) {
        std::this_thread::yield();
        continue;
      }
      Frame frame;
      frame.fill(number++);
      std::memcpy(room, frame.data(), sizeof frame);
      ring.sender->publish(sizeof frame);
    }
  });
  std::uint64_t torn = 0;
  for (std::uint64_t number = 1; number <= frames;) {
    if (ring.receiver->try_step(1) == 0) {
      std::this_thread::yield();
      continue;
    }
    Frame expected, frame;
    expected.fill(number++);
    std::memcpy(frame.data(), ring.receiver->frame().data(), sizeof frame);
    torn += frame == expected ? 0 : 1;
  }
  sends.join();
  EXPECT_EQ(torn, 0u);
  EXPECT_EQ(ring.receiver->jump(), 0u);
}

}  // namespace
}  // namespace laxity
