// The requirements of the PendingSet concept (laxity/timewarp/pending/pending_event.hpp), checked for every set against a sorted
// vector.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "laxity/random.hpp"
#include "laxity/timewarp/pending/bucket_queue.hpp"
#include "laxity/timewarp/pending/comparison/comparison_set.hpp"
#include "laxity/timewarp/pending/comparison/ladder_queue.hpp"
#include "laxity/timewarp/pending/comparison/three_tier_heap.hpp"
#include "laxity/timewarp/pending/comparison/two_tier_ladder.hpp"
#include "laxity/timewarp/pending/heap_queue.hpp"
#include "laxity/timewarp/pending/pending_event.hpp"

namespace laxity::timewarp {
namespace {

static_assert(PendingSet<HeapQueue<2>> && PendingSet<HeapQueue<4>> && PendingSet<LadderQueue> &&
              PendingSet<TwoTierLadder> && PendingSet<ThreeTierHeap> && PendingSet<BucketQueue>);

constexpr std::uint64_t seeds = 20;
const TieLayout layout(1000);

// Descending, so that the first is at the back.
class SortedVector {
 public:
  void push(const PendingEvent& event) {
    const auto later = [](const PendingEvent& a, const PendingEvent& b) { return before(b, a); };
    events_.insert(std::upper_bound(events_.begin(), events_.end(), event, later), event);
  }
  const PendingEvent* top() const { return events_.empty() ? nullptr : &events_.back(); }
  void pop() { events_.pop_back(); }
  std::size_t size() const { return events_.size(); }
  std::size_t cancel(LpId sender, std::uint64_t first_sequence) {
    return std::erase_if(events_, [&](const PendingEvent& event) {
      return layout.sender(event.key.tie) == sender && layout.sequence(event.key.tie) >= first_sequence;
    });
  }

 private:
  std::vector<PendingEvent> events_;
};

std::string text(const PendingEvent& event) {
  return "time bits " + std::to_string(event.key.time) + " tie " + std::to_string(event.key.tie) + " receiver " +
         std::to_string(event.receiver) + " event " + std::to_string(event.event);
}

bool same(const PendingEvent& a, const PendingEvent& b) {
  return a.key == b.key && a.receiver == b.receiver && a.event == b.event;
}

// A set and the sorted vector, with the same events.
template <class Set>
class Compared {
 public:
  Compared() = default;
  explicit Compared(Set set) : set_(std::move(set)) {}

  // Sequences are unique, and therefore keys. `event` is the number of events before.
  void push(std::uint64_t time, LpId receiver, Priority priority = 0, LpId sender = 0) {
    const PendingEvent event{{time, layout.tie(priority, sender, pushed_)}, receiver, pushed_};
    ++pushed_;
    set_.push(event);
    expected_.push(event);
  }

  // Pops from both. The event that was popped; empty if both are empty or if they differ.
  std::optional<PendingEvent> pop() {
    EXPECT_EQ(set_.size(), expected_.size());
    const PendingEvent* first = expected_.top();
    const PendingEvent* top = set_.top();
    if (first == nullptr || top == nullptr) {
      EXPECT_EQ(first == nullptr, top == nullptr) << "with " << expected_.size() << " events in it";
      return std::nullopt;
    }
    EXPECT_TRUE(same(*top, *first)) << "top   " << text(*top) << "\nfirst " << text(*first);
    if (!same(*top, *first)) return std::nullopt;
    const PendingEvent taken = *first;
    set_.pop();
    expected_.pop();
    return taken;
  }

  // Pops from both until both are empty; returns the number of equal events.
  std::size_t drain() {
    std::size_t drained = 0;
    while (pop()) ++drained;
    return drained;
  }

  std::size_t cancel(LpId sender, std::uint64_t first_sequence) {
    const std::size_t canceled = set_.cancel(sender, first_sequence);
    EXPECT_EQ(canceled, expected_.cancel(sender, first_sequence));
    return canceled;
  }

  Set& set() { return set_; }
  std::size_t size() const { return expected_.size(); }
  std::uint32_t pushed() const { return pushed_; }

 private:
  Set set_;
  SortedVector expected_;
  std::uint32_t pushed_ = 0;
};

std::uint64_t bits_of(double time) { return TimeBits<double>::of(time); }
double time_of(std::uint64_t bits) { return TimeBits<double>::time(bits); }
double exponential(SeededRandom& random) { return -std::log1p(-random.unit()); }

// Distributions of the differences between times, as bits.
struct Shape {
  const char* name;
  std::function<std::uint64_t(SeededRandom&, std::uint64_t now)> next;
};

const std::vector<Shape> shapes{
    {"exponential increments",
     [](SeededRandom& random, std::uint64_t now) { return bits_of(time_of(now) + exponential(random)); }},
    {"exponential increments of a millionth",
     [](SeededRandom& random, std::uint64_t now) { return bits_of(time_of(now) + 1e-6 * exponential(random)); }},
    {"increments of 0 or 1 in doubles",
     [](SeededRandom& random, std::uint64_t now) { return bits_of(time_of(now) + (random.below(20) == 0 ? 0. : 1.)); }},
    {"increments of 0, 1 or 2 in integers",
     [](SeededRandom& random, std::uint64_t now) { return now + random.below(3); }},
    {"one time for ever", [](SeededRandom&, std::uint64_t now) { return now; }},
    {"denormals", [](SeededRandom& random, std::uint64_t now) { return now + random.below(4); }},
    {"now and then 1e300",
     [](SeededRandom& random, std::uint64_t now) {
       return random.below(50) == 0 ? bits_of(1e300) : bits_of(time_of(now) + exponential(random));
     }},
    {"any magnitude", [](SeededRandom& random,
                         std::uint64_t) { return bits_of(std::ldexp(random.unit(), int(random.below(2000)) - 1000)); }},
    {"ever smaller increments towards 1",
     [](SeededRandom& random, std::uint64_t now) {
       const double left = 1 - time_of(now);
       return bits_of(time_of(now) + left * random.unit());
     }},
    {"two far clusters",
     [](SeededRandom& random, std::uint64_t) { return bits_of((random.below(2) == 0 ? 1e-9 : 1e9) + random.unit()); }},
    {"huge integers",
     [](SeededRandom& random, std::uint64_t) { return (std::uint64_t{1} << 63) - 1 - random.bits() % 1000000; }},
    {"any integer", [](SeededRandom& random, std::uint64_t) { return random.bits() >> 1; }},
};

template <class Set>
class PendingSetConformance : public testing::Test {
 protected:
  // Calls the function for every shape and seed.
  template <class Scenario>
  void for_each_shape(Scenario&& scenario) {
    for (const Shape& shape : shapes) {
      for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        SCOPED_TRACE(std::string(shape.name) + ", seed " + std::to_string(seed));
        SeededRandom random(seed);
        Compared<Set> compared;
        scenario(shape, random, compared);
        if (this->HasFailure()) return;
      }
    }
  }
};

template <Queue queue>
struct Chosen : ComparisonSet {
  Chosen() : ComparisonSet(queue) {}
};
using Sets = testing::Types<HeapQueue<2>, HeapQueue<4>, LadderQueue, TwoTierLadder, ThreeTierHeap, BucketQueue,
                            Chosen<Queue::heap>, Chosen<Queue::ladder>, Chosen<Queue::two_tier_ladder>,
                            Chosen<Queue::three_tier_heap>>;
struct NameOfSet {
  template <class Set>
  static std::string GetName(int) {
    return testing::internal::GetTypeName<Set>();
  }
};
TYPED_TEST_SUITE(PendingSetConformance, Sets, NameOfSet);

TYPED_TEST(PendingSetConformance, IsEmptyAtFirstAndAgainWhenDrained) {
  Compared<TypeParam> compared;
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(compared.set().top(), nullptr);
    EXPECT_EQ(compared.set().size(), 0u);
    for (std::uint64_t time : {3, 1, 2}) compared.push(time, 0);
    EXPECT_EQ(compared.drain(), 3u);
  }
}

TYPED_TEST(PendingSetConformance, PopsWithoutACallOfTop) {
  Compared<TypeParam> compared;
  for (std::uint64_t time = 0; time < 1000; ++time) compared.push(time * 7 % 1000, 0);
  for (int i = 0; i < 900; ++i) compared.set().pop();
  EXPECT_EQ(compared.set().size(), 100u);
  ASSERT_NE(compared.set().top(), nullptr);
  EXPECT_EQ(compared.set().top()->key.time, 900u);
}

// Each event that is popped sends one, so that the number of events is constant.
TYPED_TEST(PendingSetConformance, HoldsAnyTimesInOrder) {
  this->for_each_shape([](const Shape& shape, SeededRandom& random, Compared<TypeParam>& compared) {
    const std::uint32_t pending = 1U << random.below(11);
    for (std::uint32_t i = 0; i < pending; ++i) compared.push(shape.next(random, 0), random.below(50));
    for (int hold = 0; hold < 3000; ++hold) {
      const auto event = compared.pop();
      if (!event) return;
      compared.push(shape.next(random, event->key.time), random.below(50));
    }
    compared.drain();
  });
}

// The number of events varies at random and is 0 from time to time.
TYPED_TEST(PendingSetConformance, GrowsAndDrains) {
  this->for_each_shape([](const Shape& shape, SeededRandom& random, Compared<TypeParam>& compared) {
    std::uint64_t now = 0;
    for (int phase = 0; phase < 12; ++phase) {
      const std::uint32_t of_four = random.below(5);  // pushes
      for (std::uint32_t step = random.below(600); step > 0; --step) {
        if (random.below(4) < of_four) {
          compared.push(shape.next(random, now), random.below(1000));
        } else if (const auto event = compared.pop()) {
          now = event->key.time;
        }
      }
      if (random.below(3) == 0) compared.drain();
    }
    compared.drain();
  });
}

// A rollback pushes events again that were popped, in any order, and continues from there.
TYPED_TEST(PendingSetConformance, AcceptsEventsBeforeTheTop) {
  this->for_each_shape([](const Shape& shape, SeededRandom& random, Compared<TypeParam>& compared) {
    for (int i = 0; i < 300; ++i) compared.push(shape.next(random, 0), random.below(30));
    for (int rollback = 0; rollback < 20; ++rollback) {
      std::vector<PendingEvent> taken;
      for (std::uint32_t i = random.below(200); i > 0; --i) {
        if (const auto event = compared.pop()) taken.push_back(*event);
      }
      while (!taken.empty()) {
        std::swap(taken[random.below(static_cast<std::uint32_t>(taken.size()))], taken.back());
        compared.push(taken.back().key.time, taken.back().receiver, taken.back().key.priority());
        if (random.below(4) == 0) compared.push(shape.next(random, taken.back().key.time), taken.back().receiver);
        taken.pop_back();
        if (random.below(10) == 0) compared.pop();
      }
    }
    compared.drain();
  });
}

// Ties in time, in time and priority, and in both and the receiver; sends without delay get the next priority.
TYPED_TEST(PendingSetConformance, BreaksTiesByPriorityReceiverAndKey) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SeededRandom random(seed);
    Compared<TypeParam> compared;
    const std::uint32_t receivers = 1U << random.below(8), times = 1 + random.below(3);
    const std::uint32_t priorities = 1 + random.below(4);
    const auto receiver = [&] { return random.below(receivers) * 0x01000193U; };  // sparse
    for (int i = 0; i < 2000; ++i) {
      compared.push(bits_of(random.below(times)), receiver(), static_cast<Priority>(random.below(priorities)),
                    random.below(1000));
    }
    for (int hold = 0; hold < 4000; ++hold) {
      const auto event = compared.pop();
      if (!event) break;
      const bool without_delay = random.below(3) != 0 && event->key.priority() < 0xffff;
      const Priority priority = without_delay ? static_cast<Priority>(event->key.priority() + 1) : Priority{0};
      compared.push(without_delay ? event->key.time : bits_of(time_of(event->key.time) + 1), receiver(), priority,
                    random.below(1000));
    }
    compared.drain();
    if (this->HasFailure()) return;
  }
}

TYPED_TEST(PendingSetConformance, KeepsManyEventsOfOneReceiver) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SeededRandom random(seed);
    Compared<TypeParam> compared;
    for (int i = 0; i < 10000; ++i) compared.push(bits_of(random.below(3) == 0 ? 5 : random.unit()), 0xffffffff);
    for (int hold = 0; hold < 10000; ++hold) {
      const auto event = compared.pop();
      if (!event) break;
      compared.push(random.below(2) == 0 ? event->key.time : bits_of(time_of(event->key.time) + 1), 0xffffffff);
    }
    EXPECT_EQ(compared.drain(), 10000u);
  }
}

TYPED_TEST(PendingSetConformance, AcceptsTheWholeRangeOfKeysAndReceivers) {
  Compared<TypeParam> compared;
  const std::uint64_t latest = std::max(bits_of(TimeBits<double>::latest), TimeBits<std::int64_t>::of(INT64_MAX));
  for (int round = 0; round < 100; ++round) {
    for (const LpId receiver : {0x0U, 0x1U, 0x10000U, 0x80000000U, 0xffffffffU}) {
      for (const Priority priority : {Priority{0}, Priority{0x8000}, Priority{0xffff}}) {
        for (const std::uint64_t time :
             {std::uint64_t{0}, std::uint64_t{1}, bits_of(5e-324), bits_of(1.0), latest - 1, latest}) {
          compared.push(time, receiver, priority, 999);
        }
      }
    }
    if (round % 10 == 9) {
      for (int i = 0; i < 700; ++i) compared.pop();
    }
  }
  EXPECT_EQ(compared.drain(), 100u * 5 * 3 * 6 - 7000);
}

// Canceled events stay in the set and are marked outside of it. Exactly the others are handled, in order.
TYPED_TEST(PendingSetConformance, KeepsCanceledEventsUntilTheyArePopped) {
  this->for_each_shape([](const Shape& shape, SeededRandom& random, Compared<TypeParam>& compared) {
    std::vector<bool> canceled;
    std::size_t handled = 0, dropped = 0, marked = 0;
    const auto push = [&](std::uint64_t time) {
      compared.push(time, random.below(20));
      canceled.push_back(false);
    };
    std::vector<bool> gone(100'000);
    for (int i = 0; i < 200; ++i) push(shape.next(random, 0));
    for (int step = 0; step < 2000; ++step) {
      const auto event = compared.pop();
      if (!event) break;
      gone[event->event] = true;
      if (canceled[event->event]) {
        ++dropped;
        continue;
      }
      ++handled;
      for (std::uint32_t sends = random.below(3); sends > 0; --sends) push(shape.next(random, event->key.time));
      const std::uint32_t victim = random.below(compared.pushed());
      if (!gone[victim] && !canceled[victim]) {
        canceled[victim] = true;
        ++marked;
      }
    }
    while (const auto event = compared.pop()) ++(canceled[event->event] ? dropped : handled);
    EXPECT_EQ(dropped, marked);
    EXPECT_EQ(handled + dropped, compared.pushed());
  });
}

// A canceled event and the one that its sender has sent again may have the same key: pop() removes the event that top() has
// returned. Many such pairs, since sets may sort late.
TYPED_TEST(PendingSetConformance, PopsTheEventOfEqualKeysThatTopReturned) {
  constexpr std::uint32_t events = 600;
  for (const std::uint32_t receivers : {1u, 3u, 300u}) {
    SeededRandom random(receivers);
    TypeParam set;
    const auto push = [&](std::uint32_t event) {
      set.push({{1000, layout.tie(0, 0, random.below(4))}, random.below(receivers), event});
    };
    for (std::uint32_t event = 0; event < events / 2; ++event) push(event);
    ASSERT_NE(set.top(), nullptr);
    for (std::uint32_t event = events / 2; event < events; ++event) push(event);
    std::vector<bool> taken(events);
    for (std::uint32_t left = events; left > 0; --left) {
      const PendingEvent shown = *set.top();
      ASSERT_FALSE(taken[shown.event]) << "event " << shown.event << " twice";
      taken[shown.event] = true;
      set.pop();
      ASSERT_EQ(set.size(), left - 1);
    }
    EXPECT_EQ(set.top(), nullptr);
  }
}

// One event at the greatest time must not affect the order of others, in a set that grows from one event.
TYPED_TEST(PendingSetConformance, GrowsFromOneEventBelowAFarOne) {
  SeededRandom random(5);
  Compared<TypeParam> compared;
  compared.push(bits_of(1e300), 0);
  compared.push(bits_of(0), 1);
  for (int hold = 0; hold < 5000; ++hold) {
    const auto event = compared.pop();
    ASSERT_TRUE(event);
    for (int sends = 0; sends < (hold < 2500 ? 2 : 1); ++sends) {
      compared.push(bits_of(time_of(event->key.time) + exponential(random)), random.below(100));
    }
  }
  EXPECT_EQ(compared.drain(), 2502u);
}

// 10^5 events and more. The sorted vector is too slow, so the order and the sum of the popped events are checked.
TYPED_TEST(PendingSetConformance, HoldsAHundredThousand) {
  for (const bool continuous : {true, false}) {
    SeededRandom random(continuous ? 1 : 2);
    TypeParam set;
    constexpr std::uint32_t pending = 100'000, receivers = 5000;
    std::uint32_t pushed = 0;
    std::uint64_t sum = 0;
    const auto push = [&](double now) {
      const double time = now + (continuous ? exponential(random) : 1);
      set.push({{bits_of(time), layout.tie(0, random.below(1000), pushed)}, random.below(receivers), pushed});
      sum += pushed++;
    };
    for (std::uint32_t i = 0; i < pending; ++i) push(0);
    PendingEvent last;
    std::size_t in_disorder = 0;
    const auto pop = [&] {
      const PendingEvent event = *set.top();
      in_disorder += before(event, last);
      last = event;
      sum -= event.event;
      set.pop();
    };
    for (std::uint32_t i = 0; i < 3 * pending; ++i) {
      pop();
      push(time_of(last.key.time));
    }
    EXPECT_EQ(set.size(), pending);
    while (set.top() != nullptr) pop();
    EXPECT_EQ(in_disorder, 0u);
    EXPECT_EQ(sum, 0u);
    EXPECT_EQ(set.size(), 0u);
  }
}

template <class Set>
class CancelingSet : public testing::Test {};
using CancelingSets = testing::Types<LadderQueue, TwoTierLadder>;
TYPED_TEST_SUITE(CancelingSet, CancelingSets, NameOfSet);

TYPED_TEST(CancelingSet, RemovesTheEventsOfASenderFromASequenceOn) {
  for (const Shape& shape : shapes) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      SCOPED_TRACE(std::string(shape.name) + ", seed " + std::to_string(seed));
      SeededRandom random(seed);
      Compared<TypeParam> compared{TypeParam(layout)};
      const std::uint32_t senders = 1 + random.below(100);
      std::size_t canceled = 0;
      for (int i = 0; i < 1000; ++i) {
        compared.push(shape.next(random, 0), random.below(50), 0, random.below(senders));
      }
      for (int step = 0; step < 1500; ++step) {
        if (const auto event = compared.pop()) {
          for (std::uint32_t sends = random.below(3); sends > 0; --sends) {
            compared.push(shape.next(random, event->key.time), random.below(50), 0, random.below(senders));
          }
        }
        if (random.below(20) == 0) canceled += compared.cancel(random.below(senders), random.below(compared.pushed()));
      }
      EXPECT_GT(canceled, 0u);
      compared.drain();
      if (this->HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace laxity::timewarp
