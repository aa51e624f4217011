// A shared event under interleavings of its sender and two receivers, to which it is loaned in turn: a receiver reads the
// event of its loan, and the sender writes the next one only after the release. Mailboxes with the memory orders of an
// exchange tell the receivers.
#include <array>
#include <cstddef>
#include <new>

#include "laxity/timewarp/exchange/shared_event.hpp"
#include "relacy_atomics.hpp"

namespace laxity::interleaving {
namespace {

constexpr unsigned receivers = 2;
constexpr unsigned letters = 3;  // so that the first receiver gets two
constexpr unsigned tries = 4;

// relacy checks its reads and writes; there is one, that of the shared event.
struct Letter {
  unsigned value = 0;

  static inline rl::var<unsigned>* watched = nullptr;
  Letter& operator=(const Letter& other) {
    (*watched)(RL_INFO) = other.value;
    return *this;
  }
  [[nodiscard]] static unsigned read() { return (*watched)(RL_INFO); }
};

struct InTurns : rl::test_suite<InTurns, receivers + 1> {
  using Shared = timewarp::BasicSharedEvent<Letter, RelacyAtomics>;
  alignas(Shared) static inline std::array<std::byte, sizeof(Shared)> memory;
  static inline unsigned all_arrived = 0;
  Shared* shared = nullptr;
  rl::var<unsigned> word;
  std::array<rl::atomic<unsigned>, receivers> mailbox;
  std::array<unsigned, receivers> received{};
  unsigned sent = 0;

  void before() {
    graveyard.discard();
    Letter::watched = &word;
    shared = ::new (memory.data()) Shared;
    for (auto& box : mailbox) box.store(0, rl::mo_relaxed, RL_INFO);
    received = {};
    sent = 0;
  }

  void thread(unsigned index) {
    for (unsigned tried = 0; tried < tries; ++tried) {
      index == receivers ? send() : receive(index);
      rl::yield(1, RL_INFO);
    }
  }

  void send() {
    if (sent == letters || !shared->is_released()) return;
    Letter letter;
    letter.value = sent + 1;
    shared->loan(letter);
    mailbox.at(sent % receivers).store(1, rl::mo_release, RL_INFO);
    ++sent;
  }

  void receive(unsigned index) {
    if (mailbox.at(index).load(rl::mo_acquire, RL_INFO) == 0) return;
    mailbox.at(index).store(0, rl::mo_relaxed, RL_INFO);
    RL_ASSERT(Letter::read() == index + 1 + received.at(index) * receivers);
    ++received.at(index);
    shared->release();
  }

  // No thread is running: an event that is on loan and was not read is unchanged.
  void after() {
    receive(0);
    receive(1);
    RL_ASSERT(received[0] + received[1] == sent);
    RL_ASSERT(shared->is_released());
    all_arrived += sent == letters;
    graveyard.bury();
  }
};

TEST(SharedEventInterleaving, ASenderAndTwoReceivers) {
  InTurns::all_arrived = 0;
  expect_clean_and_every_order_needed<InTurns>({.random = 100'000});
  EXPECT_GT(InTurns::all_arrived, 1000U) << "executions in which the memory was used by both receivers";
}

}  // namespace
}  // namespace laxity::interleaving
