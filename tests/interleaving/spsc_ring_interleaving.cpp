// The refusing queue in every interleaving: no frame is lost, duplicated, reordered or torn, and the frame shown does not
// change.
#include <cstddef>

#include "laxity/transport/spsc_ring.hpp"
#include "ring_scenario.hpp"

namespace laxity::interleaving {
namespace {

using Ring = BasicSpscRing<RelacyAtomics>;

// The remaining frames are received at the end, in one thread, where accepted = received + in flight must hold.
template <class Derived, std::size_t depth>
struct TwoEnds : RingScenario<Derived, Ring, depth> {
  void after() {
    this->check_shown();
    this->passed += static_cast<unsigned>(this->receiver->jump());
    this->check_shown();
    this->end();
  }
};

struct DepthOne : TwoEnds<DepthOne, 1> {
  void thread(unsigned index) {
    for (int i = 0; i < 3; ++i) index == 0 ? send() : receive(1);
  }
};

struct DepthTwoWithJumps : TwoEnds<DepthTwoWithJumps, 2> {
  void thread(unsigned index) {
    for (int i = 0; i < 4; ++i) index == 0 ? send() : receive(2);
  }
};

struct Batches : TwoEnds<Batches, 2> {
  void thread(unsigned index) {
    if (index == 1) {
      for (int i = 0; i < 3; ++i) receive(2);
      return;
    }
    for (int batch = 0; batch < 3; ++batch) {
      for (int i = 0; i < 2; ++i) {
        if (claim_and_fill()) sender->stage(8);
      }
      sender->flush();
    }
  }
};

// Both ends are replaced half-way; a frame that was staged and not flushed is dropped with its sender.
struct AttachAgain : TwoEnds<AttachAgain, 1> {
  void thread(unsigned index) {
    if (index == 0) {
      send();
      sender.emplace(memory.data());
      if (claim_and_fill()) {
        sender->stage(8);
        --sent;
      }
      sender.emplace(memory.data());
      send();
      send();
    } else {
      receive(1);
      receiver.emplace(memory.data());
      receive(1);
      receive(1);
    }
  }
};

// A receiver that releases several slots at a time: the third frame releases three slots of a ring that is nearly full.
constexpr std::size_t deep = 128;  // the least depth of which the receiver keeps slots
struct DeepRing : TwoEnds<DeepRing, deep> {
  void before() {
    TwoEnds::before();
    while (sent != deep + 1) {
      const unsigned before = sent;
      send();
      RL_ASSERT(sent > before);
    }
  }
  void thread(unsigned index) {
    if (index == 0) {
      for (int i = 0; i < 5; ++i) send();  // one slot is free and three are released, so one is refused
      return;
    }
    for (int i = 0; i < 3; ++i) receive(1);
    receive(deep);
  }
};

TEST(SpscRingInterleaving, DepthOne) { expect_clean_and_every_order_needed<DepthOne>(every_interleaving); }
TEST(SpscRingInterleaving, Jumps) { expect_clean_and_every_order_needed<DepthTwoWithJumps>({.bound = 7}); }
TEST(SpscRingInterleaving, Batches) { expect_clean_and_every_order_needed<Batches>({.bound = 6}); }
TEST(SpscRingInterleaving, AttachAgain) { expect_clean_and_every_order_needed<AttachAgain>({.bound = 6}); }
TEST(SpscRingInterleaving, SlotsReleasedTogether) { expect_clean_and_every_order_needed<DeepRing>({.bound = 2}); }

}  // namespace
}  // namespace laxity::interleaving
