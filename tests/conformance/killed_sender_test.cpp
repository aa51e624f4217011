// After a sender is killed at a random point, its receiver continues and sees no torn frame.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "laxity/transport/latest_slot.hpp"
#include "laxity/transport/mutex_ring.hpp"
#include "laxity/transport/overwriting_ring.hpp"
#include "laxity/transport/shared_memory.hpp"
#include "laxity/transport/spsc_ring.hpp"
#include "tests/conformance/letters.hpp"

namespace laxity::conformance {
namespace {

constexpr RingShape shape{4, 200};
constexpr int kills = 200;

template <class Ring>
class KilledSender : public testing::Test {};
using Rings = testing::Types<SpscRing, OverwritingRing, LatestSlot, MutexRing>;
using LosslessRings = testing::Types<SpscRing, MutexRing>;
TYPED_TEST_SUITE(KilledSender, Rings);

template <class Sender>
[[noreturn]] void send_for_ever(Sender&& sender) {
  for (std::uint64_t number = 0;;) {
    if (send_letter(sender, number)) {
      ++number;
    } else {
      std::this_thread::yield();
    }
  }
}

TYPED_TEST(KilledSender, LeavesNothingTornAndTheReceiverGoesOn) {
  SeededRandom random(17);
  for (int kill = 0; kill < kills; ++kill) {
    SCOPED_TRACE("kill " + std::to_string(kill));
    Arena arena(Segment::shared(1 << 20), 4);
    const BlockKey key("ring");
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) send_for_ever(shared_sender<TypeParam>(arena, key, shape));

    auto receiver = shared_receiver<TypeParam>(arena, key, shape);
    std::uint64_t next = 0;
    const auto receive = [&] {
      const std::uint64_t superseded_before = receiver.superseded();
      const std::size_t moved = receiver.try_step(2);
      if (moved == 0) return false;
      next += moved + (receiver.superseded() - superseded_before);
      const auto number = read_letter(receiver.frame(), shape.frame_capacity);
      EXPECT_EQ(number, next - 1);
      return number.has_value();
    };
    const std::uint64_t enough = 1 + random.below(500);
    while (next < enough) {
      if (!receive()) std::this_thread::yield();
      if (this->HasFailure()) break;
    }
    ::kill(child, SIGKILL);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);

    int more = 0;  // frames published before, at most what the ring can hold
    while (receive()) ASSERT_LE(++more, 4);
    EXPECT_EQ(receiver.jump(), 0u);
    if (this->HasFailure()) return;
  }
}

// A sender killed during its exchange owns a frame of an overwriting ring, which therefore supports no successor.
template <class Ring>
class KilledLosslessSender : public testing::Test {};
TYPED_TEST_SUITE(KilledLosslessSender, LosslessRings);

TYPED_TEST(KilledLosslessSender, HasASuccessorThatGoesOn) {
  for (int kill = 0; kill < 50; ++kill) {
    Arena arena(Segment::shared(1 << 20), 4);
    const BlockKey key("ring");
    auto receiver = shared_receiver<TypeParam>(arena, key, shape);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) send_for_ever(shared_sender<TypeParam>(arena, key, shape));
    while (receiver.try_step(1) == 0) std::this_thread::yield();
    ::kill(child, SIGKILL);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    while (receiver.jump() != 0) {
    }
    auto successor = shared_sender<TypeParam>(arena, key, shape);
    for (std::uint64_t number = 1; number <= 20; ++number) {
      ASSERT_TRUE(send_letter(successor, number));
      ASSERT_EQ(receiver.try_step(1), 1u);
      ASSERT_EQ(read_letter(receiver.frame(), shape.frame_capacity), number);
    }
  }
}

// A receiver holds no frame that its successor needs: the sender, which is never refused for ever, does not notice.
TYPED_TEST(KilledLosslessSender, ServesTheSuccessorOfAKilledReceiver) {
  SeededRandom random(23);
  for (int kill = 0; kill < 20; ++kill) {
    Arena arena(Segment::shared(1 << 20), 4);
    const BlockKey key("ring");
    auto& received = arena.object<std::atomic<std::uint64_t>>(BlockKey("received"));
    auto sender = shared_sender<TypeParam>(arena, key, shape);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (auto first = shared_receiver<TypeParam>(arena, key, shape);; std::this_thread::yield())
        received += first.try_step(1);
    }
    std::uint64_t sent = 0;
    for (const std::uint64_t enough = 1 + random.below(100); received < enough;)
      send_letter(sender, sent) ? static_cast<void>(++sent) : std::this_thread::yield();
    ::kill(child, SIGKILL);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);

    auto successor = shared_receiver<TypeParam>(arena, key, shape);
    std::uint64_t next = 0;  // the first that it sees; all others follow without a gap
    for (int seen = 0; seen < 20;) {
      if (send_letter(sender, sent)) ++sent;
      if (successor.try_step(1) == 0) continue;
      const auto number = read_letter(successor.frame(), shape.frame_capacity);
      ASSERT_TRUE(number.has_value());
      if (seen++ != 0) {
        ASSERT_EQ(*number, next);
      }
      ASSERT_GE(*number, received.load());
      next = *number + 1;
    }
  }
}

}  // namespace
}  // namespace laxity::conformance
