// The overwriting ring in every interleaving: each frame received is newer than the one before, complete, and unchanged
// while it is shown; received + superseded + in flight = sent, exactly.
#include <optional>

#include "laxity/transport/latest_slot.hpp"
#include "laxity/transport/overwriting_ring.hpp"
#include "relacy_atomics.hpp"

namespace laxity::interleaving {
namespace {

using Ring = BasicOverwritingRing<RelacyAtomics>;

// Two threads and a ring of the given depth. Thread 0 sends 1, 2, 3, ...; thread 1 receives; the rest is received at
// the end.
template <class Derived, std::size_t depth>
struct TwoEnds : rl::test_suite<Derived, 2> {
  static constexpr RingShape shape{depth, 8};
  // Static, because relacy does not align the scenario.
  alignas(64) static inline std::array<std::byte, 16384> memory;
  static inline std::optional<typename Ring::Sender> sender;
  static inline std::optional<typename Ring::Receiver> receiver;
  std::optional<Payloads> payloads;
  unsigned sent = 0;
  unsigned passed = 0;  // received or superseded: the number of the frame shown

  void before() {
    graveyard.discard();
    RL_ASSERT(Ring::bytes_needed(shape) <= memory.size());
    Ring::initialize(memory.data(), shape);
    payloads.emplace();
    sender.emplace(memory.data());
    receiver.emplace(memory.data());
    sent = passed = 0;
  }

  void send() {
    payloads->write(sender->try_claim(), ++sent);
    sender->publish(8);
  }
  void check_shown() {
    RL_ASSERT(receiver->frame().size() == (passed == 0 ? 0 : 8));
    if (passed != 0) RL_ASSERT(payloads->read(receiver->frame().data()) == passed);
  }
  void receive(std::size_t limit) {
    check_shown();  // unchanged by the sender
    const std::uint64_t superseded_before = receiver->superseded();
    const std::size_t moved = receiver->try_step(limit);
    RL_ASSERT(moved <= limit);
    passed += static_cast<unsigned>(moved + receiver->superseded() - superseded_before);
    check_shown();
  }

  void after() {
    while (passed != sent) {
      const unsigned before = passed;
      receive(1);
      RL_ASSERT(passed > before);
    }
    receive(depth);  // nothing new: no old frame is shown
    RL_ASSERT(passed == sent);
    payloads.reset();
    graveyard.bury();
  }
};

struct Latest : TwoEnds<Latest, 1> {
  void thread(unsigned index) {
    for (int i = 0; i < 4; ++i) index == 0 ? send() : receive(1);
  }
};

struct DepthTwoSteps : TwoEnds<DepthTwoSteps, 2> {
  void thread(unsigned index) {
    for (int i = 0; i < (index == 0 ? 5 : 3); ++i) index == 0 ? send() : receive(1);
  }
};

struct DepthThreeJumps : TwoEnds<DepthThreeJumps, 3> {
  void thread(unsigned index) {
    for (int i = 0; i < (index == 0 ? 6 : 3); ++i) index == 0 ? send() : receive(3);
  }
};

// Both ends are replaced half-way.
struct AttachAgain : TwoEnds<AttachAgain, 1> {
  void thread(unsigned index) {
    if (index == 0) {
      send();
      send();
      sender.emplace(memory.data());
      send();
      send();
    } else {
      receive(1);
      receive(1);
      receiver.emplace(memory.data());
      receive(1);
    }
  }
};

TEST(OverwritingRingInterleaving, Latest) { expect_clean_and_every_order_needed<Latest>({.bound = 5}); }
TEST(OverwritingRingInterleaving, Steps) { expect_clean_and_every_order_needed<DepthTwoSteps>({.bound = 4}); }
TEST(OverwritingRingInterleaving, Jumps) { expect_clean_and_every_order_needed<DepthThreeJumps>({.bound = 4}); }
TEST(OverwritingRingInterleaving, AttachAgain) { expect_clean_and_every_order_needed<AttachAgain>({.bound = 4}); }

}  // namespace
}  // namespace laxity::interleaving
