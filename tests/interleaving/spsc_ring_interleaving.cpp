// The refusing queue in every interleaving: no frame is lost, duplicated, reordered or torn, and the frame shown does not
// change.
#include <optional>

#include "laxity/transport/spsc_ring.hpp"
#include "relacy_atomics.hpp"

namespace laxity::interleaving {
namespace {

using Ring = BasicSpscRing<RelacyAtomics>;

// Two threads and a ring of the given depth. Thread 0 sends 1, 2, 3, ...; thread 1 receives; the remaining frames are
// received at the end, in one thread, where accepted = received + in flight must hold.
template <class Derived, std::size_t depth>
struct TwoEnds : rl::test_suite<Derived, 2> {
  static constexpr RingShape shape{depth, 8};
  // Static, because relacy does not align the scenario.
  alignas(64) static inline std::array<std::byte, 8192> memory;
  static inline std::optional<typename Ring::Sender> sender;
  static inline std::optional<typename Ring::Receiver> receiver;
  std::optional<Payloads> payloads;
  unsigned accepted = 0;
  unsigned received = 0;

  void before() {
    graveyard.discard();
    RL_ASSERT(Ring::bytes_needed(shape) <= memory.size());
    Ring::initialize(memory.data(), shape);
    payloads.emplace();
    sender.emplace(memory.data());
    receiver.emplace(memory.data());
    accepted = received = 0;
  }

  bool claim_and_fill() {
    std::byte* room = sender->try_claim();
    if (room == nullptr) return false;
    payloads->write(room, ++accepted);
    return true;
  }
  void send() {
    if (claim_and_fill()) sender->publish(8);
  }
  void check_shown() {
    RL_ASSERT(receiver->frame().size() == (received == 0 ? 0 : 8));
    if (received != 0) RL_ASSERT(payloads->read(receiver->frame().data()) == received);
  }
  void receive(std::size_t limit) {
    check_shown();  // unchanged by the sender
    received += static_cast<unsigned>(receiver->try_step(limit));
    check_shown();
  }

  void after() {
    check_shown();
    received += static_cast<unsigned>(receiver->jump());
    check_shown();
    RL_ASSERT(received == accepted);
    payloads.reset();
    graveyard.bury();
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
        --accepted;
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

TEST(SpscRingInterleaving, DepthOne) { expect_clean_and_every_order_needed<DepthOne>(every_interleaving); }
TEST(SpscRingInterleaving, Jumps) { expect_clean_and_every_order_needed<DepthTwoWithJumps>({.bound = 7}); }
TEST(SpscRingInterleaving, Batches) { expect_clean_and_every_order_needed<Batches>({.bound = 6}); }
TEST(SpscRingInterleaving, AttachAgain) { expect_clean_and_every_order_needed<AttachAgain>({.bound = 6}); }

}  // namespace
}  // namespace laxity::interleaving
