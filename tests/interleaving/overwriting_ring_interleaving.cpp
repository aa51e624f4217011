// The overwriting ring in every interleaving: each frame received is newer than the one before, complete, and unchanged
// while it is shown; received + superseded + in flight = sent, exactly.
#include <cstddef>

#include "laxity/transport/latest_slot.hpp"
#include "laxity/transport/overwriting_ring.hpp"
#include "ring_scenario.hpp"

namespace laxity::interleaving {
namespace {

using Ring = BasicOverwritingRing<RelacyAtomics>;

// The remaining frames are received at the end, in one thread.
template <class Derived, std::size_t depth>
struct TwoEnds : RingScenario<Derived, Ring, depth> {
  void after() {
    while (this->passed != this->sent) {
      const unsigned before = this->passed;
      this->receive(1);
      RL_ASSERT(this->passed > before);
    }
    this->receive(depth);  // nothing new: no old frame is shown
    this->end();
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
