// Global virtual time under interleavings of two and three workers: it never lies beyond a pending event or a message in
// flight. Messages go through mailboxes with the memory orders of a ring.
#include <algorithm>
#include <cstdlib>
#include <new>
#include <optional>
#include <vector>

#include "laxity/check.hpp"
#include "laxity/timewarp/gvt/gvt.hpp"
#include "relacy_atomics.hpp"

// A failed check of the source ends the execution, not the program.
void laxity::detail::check_failed(const char*, const char*, int) noexcept {
  RL_ASSERT(false);
  std::abort();
}

namespace laxity::interleaving {
namespace {

using timewarp::Key;
using SharedState = timewarp::BasicGvtSharedState<RelacyAtomics>;
using Gvt = timewarp::BasicGvt<RelacyAtomics>;

constexpr unsigned turns_per_event = 3;  // so that some rounds end before there are no events left
constexpr std::uint64_t never = ~std::uint64_t{0};

// The i-th instant; two priorities of every time, so that half of a report is never a valid report.
Key instant(std::uint64_t time) { return time == never ? timewarp::latest_key : Key{time / 2, (time % 2) << 48}; }

// Every worker starts with one event. Handling an event sends one to the next worker, one unit of time later, `hops` times
// in total. A worker takes `turns` turns, in which it receives, takes part in GVT rounds, and in some handles one event.
template <class Derived, unsigned workers, unsigned turns, unsigned hops>
struct Circle : rl::test_suite<Derived, static_cast<rl::thread_id_t>(workers)> {
  struct Letter {
    rl::atomic<unsigned> full;
    rl::var<std::uint64_t> time;
    rl::var<unsigned> color;
  };
  struct Self {
    std::optional<Gvt> gvt;
    std::array<std::uint64_t, 8> pending{};  // sorted; read by the checks of others, which relacy need not see
    unsigned waiting = 0;
    unsigned sent = 0;
    unsigned received = 0;
    Key value = timewarp::earliest_key;
  };

  alignas(64) static inline std::array<std::byte, 4096> memory;
  std::array<Self, workers> selves;
  std::array<std::array<Letter, hops>, workers> letters;  // to each worker, from the one before it
  std::array<std::array<std::uint64_t, hops>, workers> under_way;
  static inline unsigned finished_rounds = 0;

  void before() {
    graveyard.discard();
    RL_ASSERT(SharedState::bytes_needed(workers) <= memory.size());
    auto* shared = ::new (memory.data()) SharedState;
    for (unsigned i = 0; i < workers; ++i) {
      ::new (shared->workers() + i) timewarp::BasicGvtWorkerState<RelacyAtomics>;
      selves[i] = {};
      selves[i].gvt.emplace(*shared, static_cast<int>(i), static_cast<int>(workers));
      selves[i].pending[selves[i].waiting++] = 2 + 3 * i;
      for (Letter& letter : letters[i]) letter.full.store(0, rl::mo_relaxed, RL_INFO);
      under_way[i].fill(never);
    }
  }

  void thread(unsigned index) {
    Self& self = selves[index];
    for (unsigned turn = 0; turn < turns; ++turn) {
      receive(index, self);
      if (turn % turns_per_event == 0) handle_one(index, self);
      self.gvt->start();
      if (self.gvt->advance([&] { return timewarp::GvtReport{instant(min_of(self))}; })) check(self);
      rl::yield(1, RL_INFO);
    }
  }

  void receive(unsigned index, Self& self) {
    while (self.received < hops && letters[index][self.received].full.load(rl::mo_acquire, RL_INFO) != 0) {
      Letter& letter = letters[index][self.received];
      const std::uint64_t time = letter.time(RL_INFO);
      self.pending[self.waiting++] = time;
      under_way[index][self.received++] = never;
      self.gvt->received(letter.color(RL_INFO));
    }
  }

  void handle_one(unsigned index, Self& self) {
    if (self.waiting == 0) return;
    std::sort(self.pending.begin(), self.pending.begin() + self.waiting, std::greater<>{});
    const std::uint64_t time = self.pending[self.waiting - 1];
    if (self.sent < hops) {
      const unsigned to = (index + 1) % workers;
      Letter& letter = letters[to][self.sent];
      under_way[to][self.sent++] = time + 1;
      letter.time(RL_INFO) = time + 1;
      letter.color(RL_INFO) = self.gvt->sending(instant(time + 1));
      letter.full.store(1, rl::mo_release, RL_INFO);
    }
    --self.waiting;
  }

  static std::uint64_t min_of(const Self& self) {
    std::uint64_t least = never;
    for (unsigned i = 0; i < self.waiting; ++i) least = std::min(least, self.pending[i]);
    return least;
  }

  // Call right after a round has ended. Reads the actual state of other workers, not what a weak memory order may show.
  void check(Self& self) {
    ++finished_rounds;
    std::uint64_t least = never;
    for (const Self& other : selves) least = std::min(least, min_of(other));
    for (const auto& times : under_way) {
      for (const std::uint64_t time : times) least = std::min(least, time);
    }
    const Key value = self.gvt->value();
    RL_ASSERT(!(instant(least) < value));
    RL_ASSERT(!(value < self.value));
    self.value = value;
  }

  void after() { graveyard.bury(); }
};

struct TwoWorkers : Circle<TwoWorkers, 2, 12, 4> {};
struct ThreeWorkers : Circle<ThreeWorkers, 3, 12, 4> {};

template <class Scenario>
void expect_gvt_holds(Search search) {
  Scenario::finished_rounds = 0;
  expect_clean_and_every_order_needed<Scenario>(search);
  EXPECT_GT(Scenario::finished_rounds, 1000U) << "rounds completed in all executions";
}

TEST(GvtInterleaving, TwoWorkers) { expect_gvt_holds<TwoWorkers>({.random = 100'000}); }
TEST(GvtInterleaving, ThreeWorkers) { expect_gvt_holds<ThreeWorkers>({.random = 100'000}); }

}  // namespace
}  // namespace laxity::interleaving
