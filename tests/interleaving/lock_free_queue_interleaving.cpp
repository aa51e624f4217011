// The lock-free queue under interleavings of two producers and a consumer: every item is popped once, those of one producer
// in order.
#include <array>
#include <cstddef>
#include <new>

#include "laxity/timewarp/exchange/lock_free_queue.hpp"
#include "relacy_atomics.hpp"

namespace laxity::interleaving {
namespace {

constexpr unsigned senders = 2;
constexpr unsigned letters_each = 2;
constexpr std::size_t places = 2;  // fewer than letters, so that cells are used again
constexpr unsigned tries = 3;

struct TwoSenders : rl::test_suite<TwoSenders, senders + 1> {
  using Queue = timewarp::LockFreeQueue<unsigned, places, RelacyAtomics>;
  alignas(Queue) static inline std::array<std::byte, sizeof(Queue)> memory;
  static inline unsigned all_arrived = 0;
  Queue* queue = nullptr;
  std::array<unsigned, senders> sent{};
  std::array<unsigned, senders> received{};

  void before() {
    graveyard.discard();
    queue = ::new (memory.data()) Queue;
    sent = {};
    received = {};
  }

  void thread(unsigned index) {
    if (index == senders) return receive();
    for (unsigned tried = 0; tried < tries && sent[index] < letters_each; ++tried) {
      if (queue->try_push(10 * (index + 1) + sent[index])) ++sent[index];
      rl::yield(1, RL_INFO);
    }
  }

  void receive() {
    for (unsigned tried = 0; tried < 2 * tries; ++tried) {
      take();
      rl::yield(1, RL_INFO);
    }
  }

  void take() {
    static_cast<void>(queue->try_pop([this](unsigned letter) {
      const unsigned from = letter / 10 - 1;
      RL_ASSERT(from < senders);
      RL_ASSERT(letter % 10 == received[from]);
      ++received[from];
    }));
  }

  // No thread is running: items that were pushed and not popped must be in the queue.
  void after() {
    for (unsigned rest = 0; rest < senders * letters_each; ++rest) take();
    RL_ASSERT(received == sent);
    all_arrived += received[0] + received[1] == senders * letters_each;
    graveyard.bury();
  }
};

TEST(LockFreeQueueInterleaving, TwoSendersAndAReceiver) {
  TwoSenders::all_arrived = 0;
  expect_clean_and_every_order_needed<TwoSenders>({.random = 100'000});
  EXPECT_GT(TwoSenders::all_arrived, 1000U) << "executions in which cells were reused";
}

}  // namespace
}  // namespace laxity::interleaving
