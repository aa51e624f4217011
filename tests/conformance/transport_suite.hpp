// The conformance suite: tests of the transport contract (laxity/transport/transport.hpp) for any list of transports.
//
// A transport comes as a fixture (transport_fixtures.hpp). Instantiate the suite with a list of them:
// INSTANTIATE_TYPED_TEST_SUITE_P(Mine, TransportConformance, testing::Types<...>, NameOfType).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "laxity/random.hpp"
#include "tests/conformance/letters.hpp"
#include "tests/conformance/suite_shape.hpp"

namespace laxity::conformance {

template <class Fixture>
class TransportConformance : public testing::Test {
 protected:
  /// A process that has only the sender of a link serves the test of the process with the receiver.
  void SetUp() override {
    if constexpr (requires { link_.serves(); }) {
      if (link_.serves()) {
        link_.serve();
        GTEST_SKIP() << "served as the sender";
      }
    }
  }

  auto& sender() { return link_.sender(); }
  auto& receiver() { return link_.receiver(); }
  bool send(std::uint64_t number) { return send_letter(sender(), number); }
  std::optional<std::uint64_t> shown() { return read_letter(receiver().frame(), suite_capacity); }
  std::vector<std::byte> copy_of_frame() { return {receiver().frame().begin(), receiver().frame().end()}; }

  Fixture link_;
};

struct NameOfType {
  template <class Fixture>
  static std::string GetName(int) {
    return testing::internal::GetTypeName<Fixture>();
  }
};

TYPED_TEST_SUITE_P(TransportConformance);

TYPED_TEST_P(TransportConformance, ShowsAnEmptyFrameBeforeTheFirst) {
  EXPECT_TRUE(this->receiver().frame().empty());
  EXPECT_EQ(this->receiver().try_step(1), 0u);
  EXPECT_EQ(this->receiver().jump(), 0u);
  EXPECT_TRUE(this->receiver().frame().empty());
  EXPECT_EQ(this->receiver().superseded(), 0u);
}

TYPED_TEST_P(TransportConformance, RoomIsAlignedAndOfFullCapacity) {
  ASSERT_EQ(this->sender().frame_capacity(), suite_capacity);
  for (const std::size_t bytes : {suite_capacity, std::size_t{1}, suite_capacity - 1}) {
    std::byte* room = this->sender().try_claim();
    ASSERT_NE(room, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(room) % 8, 0u);
    for (std::size_t at = 0; at < bytes; ++at) room[at] = static_cast<std::byte>(at + bytes);
    this->sender().publish(bytes);
    ASSERT_EQ(this->receiver().try_step(1), 1u);
    const auto frame = this->receiver().frame();
    ASSERT_EQ(frame.size(), bytes);
    for (std::size_t at = 0; at < bytes; ++at) ASSERT_EQ(frame[at], static_cast<std::byte>(at + bytes)) << at;
  }
}

TYPED_TEST_P(TransportConformance, AnEmptyFrameIsAFrame) {
  ASSERT_TRUE(this->send(7));
  ASSERT_EQ(this->receiver().try_step(1), 1u);
  ASSERT_NE(this->sender().try_claim(), nullptr);
  this->sender().publish(0);
  EXPECT_EQ(this->receiver().try_step(1), 1u);
  EXPECT_TRUE(this->receiver().frame().empty());
}

TYPED_TEST_P(TransportConformance, ClaimingAgainGivesTheSameRoom) {
  std::byte* room = this->sender().try_claim();
  ASSERT_NE(room, nullptr);
  EXPECT_EQ(this->sender().try_claim(), room);
}

TYPED_TEST_P(TransportConformance, AClaimedFrameIsInvisibleUntilItIsPublished) {
  std::byte* room = this->sender().try_claim();
  ASSERT_NE(room, nullptr);
  const std::size_t bytes = write_letter(room, 5, suite_capacity);
  EXPECT_EQ(this->receiver().try_step(1), 0u);
  this->sender().publish(bytes);
  EXPECT_EQ(this->receiver().try_step(1), 1u);
  EXPECT_EQ(this->shown(), 5u);
}

TYPED_TEST_P(TransportConformance, DeliversEachFrameOnceInOrder) {
  for (std::uint64_t number = 0; number < 300; ++number) {
    ASSERT_TRUE(this->send(number));
    ASSERT_EQ(this->receiver().try_step(1), 1u);
    ASSERT_EQ(this->shown(), number);
    ASSERT_EQ(this->receiver().try_step(1), 0u);
  }
  EXPECT_EQ(this->receiver().superseded(), 0u);
}

TYPED_TEST_P(TransportConformance, AFullBufferRefusesOrSupersedesAndKeepsTheRest) {
  constexpr std::uint64_t tries = 3 * suite_depth;
  std::uint64_t accepted = 0;
  while (accepted < tries && this->send(accepted)) ++accepted;
  if (TypeParam::lossless) {
    ASSERT_EQ(accepted, TypeParam::depth);
    EXPECT_EQ(this->sender().try_claim(), nullptr) << "refuses as often as it is asked";
  } else {
    ASSERT_EQ(accepted, tries);
  }
  for (std::uint64_t expected = accepted - TypeParam::depth; expected < accepted; ++expected) {
    ASSERT_EQ(this->receiver().try_step(1), 1u);
    EXPECT_EQ(this->shown(), expected);
  }
  EXPECT_EQ(this->receiver().try_step(1), 0u);
  EXPECT_EQ(this->receiver().superseded(), accepted - TypeParam::depth);
}

TYPED_TEST_P(TransportConformance, OneMoveMakesRoomForOneFrame) {
  if (!TypeParam::lossless) return;  // never refuses
  std::uint64_t next = 0;
  while (this->send(next)) ++next;
  for (int lap = 0; lap < 20; ++lap) {
    ASSERT_EQ(this->receiver().try_step(1), 1u);
    ASSERT_TRUE(this->send(next++));
    ASSERT_FALSE(this->send(next));
  }
}

TYPED_TEST_P(TransportConformance, AStepMovesAtMostItsLimit) {
  for (std::uint64_t number = 0; number < TypeParam::depth; ++number) ASSERT_TRUE(this->send(number));
  EXPECT_EQ(this->receiver().try_step(0), 0u);
  EXPECT_TRUE(this->receiver().frame().empty());
  if (TypeParam::depth > 1) {
    EXPECT_EQ(this->receiver().try_step(2), 2u);
    EXPECT_EQ(this->shown(), 1u);
  }
  EXPECT_EQ(this->receiver().try_step(100), TypeParam::depth == 1 ? 1 : TypeParam::depth - 2);
  EXPECT_EQ(this->shown(), TypeParam::depth - 1);
}

TYPED_TEST_P(TransportConformance, AJumpShowsTheNewestAndCountsAllItPassed) {
  for (std::uint64_t number = 0; number < TypeParam::depth; ++number) ASSERT_TRUE(this->send(number));
  EXPECT_EQ(this->receiver().jump(), TypeParam::depth);
  EXPECT_EQ(this->shown(), TypeParam::depth - 1);
  EXPECT_EQ(this->receiver().superseded(), 0u);
}

// Trap: a ring that overwrites the slot a reader holds.
TYPED_TEST_P(TransportConformance, TheFrameShownStaysWhateverArrives) {
  ASSERT_TRUE(this->send(1000));
  ASSERT_EQ(this->receiver().try_step(1), 1u);
  const std::vector<std::byte> before = this->copy_of_frame();
  const auto place = this->receiver().frame().data();
  for (std::uint64_t number = 0; number < 5 * suite_depth; ++number) {
    this->send(number);
    if (std::byte* room = this->sender().try_claim()) std::fill_n(room, suite_capacity, std::byte{0xee});
    ASSERT_EQ(this->copy_of_frame(), before);
    ASSERT_EQ(this->receiver().frame().data(), place) << "a span taken earlier must stay right";
  }
}

// Trap: a latest-value slot that shows old data again when nothing new has arrived.
TYPED_TEST_P(TransportConformance, NothingNewBringsNothingOldBack) {
  std::uint64_t next = 0;
  for (int lap = 0; lap < 4; ++lap) {
    for (std::size_t sent = 0; sent < TypeParam::depth; ++sent) ASSERT_TRUE(this->send(next++));
    ASSERT_EQ(this->receiver().jump(), TypeParam::depth);
    const std::vector<std::byte> newest = this->copy_of_frame();
    for (std::size_t pull = 0; pull < 2 * suite_depth; ++pull) {
      ASSERT_EQ(pull % 2 == 0 ? this->receiver().jump() : this->receiver().try_step(3), 0u);
      ASSERT_EQ(this->copy_of_frame(), newest);
    }
  }
}

// Random sequences of operations against a deque that implements the contract.
TYPED_TEST_P(TransportConformance, AccountingIsExactAfterEveryOperation) {
  const std::uint64_t seed = testing::UnitTest::GetInstance()->random_seed() == 0
                                 ? 20260101
                                 : static_cast<std::uint64_t>(testing::UnitTest::GetInstance()->random_seed());
  SCOPED_TRACE("rerun with --gtest_random_seed=" + std::to_string(seed));
  SeededRandom random(seed);
  std::deque<std::uint64_t> in_flight;
  std::optional<std::uint64_t> showing;
  std::uint64_t attempts = 0, refused = 0, moved_past = 0, superseded = 0;

  for (int operation = 0; operation < 3000; ++operation) {
    const std::uint32_t choice = random.below(8);
    if (choice < 4) {
      const std::uint64_t number = attempts++;
      const bool accepted = this->send(number);
      ASSERT_EQ(accepted, !TypeParam::lossless || in_flight.size() < TypeParam::depth);
      if (accepted) in_flight.push_back(number);
      if (!accepted) ++refused;
      if (in_flight.size() > TypeParam::depth) in_flight.pop_front(), ++superseded;
    } else {
      const std::size_t limit = choice == 7 ? suite_depth : random.below(4);
      const std::size_t moved = choice == 7 ? this->receiver().jump() : this->receiver().try_step(limit);
      ASSERT_EQ(moved, std::min(limit, in_flight.size()));
      moved_past += moved;
      for (std::size_t passed = 0; passed < moved; ++passed) showing = in_flight.front(), in_flight.pop_front();
      if (moved != 0) {
        ASSERT_EQ(this->receiver().superseded(), superseded);
      }
    }
    ASSERT_EQ(this->shown(), showing);
    ASSERT_EQ(attempts, refused + moved_past + superseded + in_flight.size());
  }
}

TYPED_TEST_P(TransportConformance, AStreamArrivesWholeInOrderAndAtMostOnce) {
  constexpr std::uint64_t frames = [] {
    if constexpr (requires { TypeParam::stream_frames; }) return TypeParam::stream_frames;
    return std::uint64_t{20'000};
  }();
  this->link_.begin_stream(frames);
  std::uint64_t next = 0;  // number of the first frame that is not accounted for
  SeededRandom random(3);
  while (next < frames) {
    const std::uint64_t superseded_before = this->receiver().superseded();
    const std::size_t moved = random.below(4) == 0 ? this->receiver().jump() : this->receiver().try_step(2);
    if (moved == 0) {
      std::this_thread::yield();
      continue;
    }
    const std::vector<std::byte> copy = this->copy_of_frame();
    next += moved + (this->receiver().superseded() - superseded_before);
    ASSERT_EQ(this->shown(), next - 1) << "torn, or not where the counts say";
    ASSERT_EQ(this->copy_of_frame(), copy);
  }
  this->link_.end_stream();
  EXPECT_EQ(next, frames);
  EXPECT_EQ(this->receiver().jump(), 0u);
  if (TypeParam::lossless) {
    EXPECT_EQ(this->receiver().superseded(), 0u);
  }
}

REGISTER_TYPED_TEST_SUITE_P(TransportConformance, ShowsAnEmptyFrameBeforeTheFirst, RoomIsAlignedAndOfFullCapacity,
                            AnEmptyFrameIsAFrame, ClaimingAgainGivesTheSameRoom,
                            AClaimedFrameIsInvisibleUntilItIsPublished, DeliversEachFrameOnceInOrder,
                            AFullBufferRefusesOrSupersedesAndKeepsTheRest, OneMoveMakesRoomForOneFrame,
                            AStepMovesAtMostItsLimit, AJumpShowsTheNewestAndCountsAllItPassed,
                            TheFrameShownStaysWhateverArrives, NothingNewBringsNothingOldBack,
                            AccountingIsExactAfterEveryOperation, AStreamArrivesWholeInOrderAndAtMostOnce);

}  // namespace laxity::conformance
