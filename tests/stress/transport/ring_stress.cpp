// Two threads use a ring at full speed: every frame shown is complete, newer than the one before, and unchanged until the
// next step; the counts are exact at the end.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include "laxity/transport/latest_slot.hpp"
#include "laxity/transport/overwriting_ring.hpp"
#include "laxity/transport/spsc_ring.hpp"

namespace laxity {
namespace {

constexpr std::uint64_t frames = 600'000;
constexpr std::size_t words = 9;  // 72 bytes: more than a cache line

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()(std::uint64_t below) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ % below;
  }

 private:
  std::uint64_t state_;
};

// The number in all words of a frame; fails if they differ.
std::uint64_t number_in(std::span<const std::byte> frame) {
  if (frame.empty()) return 0;
  std::array<std::uint64_t, words> content{};
  EXPECT_EQ(frame.size() % sizeof(std::uint64_t), 0u);
  std::memcpy(content.data(), frame.data(), frame.size());
  for (std::size_t i = 0; i < frame.size() / sizeof(std::uint64_t); ++i) {
    if (content[i] != content[0]) {
      ADD_FAILURE() << "torn frame: word 0 is " << content[0] << ", word " << i << " is " << content[i];
      break;
    }
  }
  return content[0];
}

template <class Sender>
void send_all(Sender& sender, Draw draw) {
  std::array<std::uint64_t, words> content{};
  for (std::uint64_t number = 1; number <= frames;) {
    std::byte* room = sender.try_claim();
    if (room == nullptr) {
      std::this_thread::yield();
      continue;
    }
    content.fill(number++);
    const std::size_t bytes = (1 + draw(words)) * sizeof(std::uint64_t);
    std::memcpy(room, content.data(), bytes);
    if constexpr (requires { sender.stage(bytes); }) {
      if (draw(4) != 0) {
        sender.stage(bytes);
        if (draw(8) == 0) sender.flush();
        continue;
      }
    }
    sender.publish(bytes);
  }
  if constexpr (requires { sender.flush(); }) sender.flush();
}

// Receives until the last frame is shown. Returns received + superseded.
template <class Receiver>
std::uint64_t receive_all(Receiver& receiver, Draw draw) {
  std::uint64_t received = 0;
  std::uint64_t shown = 0;
  while (shown != frames) {
    const std::size_t moved = draw(3) == 0 ? receiver.jump() : receiver.try_step(1 + draw(3));
    if (moved == 0) std::this_thread::yield();
    received += moved;
    const std::uint64_t number = number_in(receiver.frame());
    EXPECT_EQ(number, received + receiver.superseded());
    EXPECT_TRUE(moved != 0 || number == shown);
    if (draw(64) == 0) std::this_thread::yield();
    EXPECT_EQ(number_in(receiver.frame()), number);  // unchanged
    shown = number;
    if (::testing::Test::HasFailure()) break;
  }
  return received + receiver.superseded();
}

template <class Ring>
void hammer(std::size_t depth) {
  const RingShape shape{depth, words * sizeof(std::uint64_t)};
  const std::unique_ptr<std::byte[], decltype(&std::free)> memory(
      static_cast<std::byte*>(std::aligned_alloc(64, detail::round_up(Ring::bytes_needed(shape), 64))), &std::free);
  Ring::initialize(memory.get(), shape);
  std::thread producer([&memory, depth] {
    typename Ring::Sender sender(memory.get());
    send_all(sender, Draw(0x9e3779b97f4a7c15u + depth));
  });
  typename Ring::Receiver receiver(memory.get());
  EXPECT_EQ(receive_all(receiver, Draw(0xd1b54a32d192ed03u + depth)), frames);
  producer.join();
}

template <class Ring>
class RingStress : public ::testing::Test {};
using Rings = ::testing::Types<SpscRing, OverwritingRing, LatestSlot>;
TYPED_TEST_SUITE(RingStress, Rings);

TYPED_TEST(RingStress, DepthOne) { hammer<TypeParam>(1); }
TYPED_TEST(RingStress, DepthThree) { hammer<TypeParam>(3); }
TYPED_TEST(RingStress, DepthOneHundred) { hammer<TypeParam>(100); }

}  // namespace
}  // namespace laxity
