// The atomics policy for relacy, and the loop that tests mutants.
//
// relacy executes a small scenario with a fixed number of threads repeatedly, each time with another interleaving and
// another choice of visible values. It stops at a data race, a failed check or an uninitialized read. A mutant weakens
// the memory order of one numbered AtomicSite; the checker must detect every mutant, which shows that each order in the
// source is necessary and that the scenario is sensitive to it.
//
// To be included after all other headers: relacy redefines `new`, `assert` and the memory orders as macros, which are
// undefined below.
// Threads: relacy runs its threads as coroutines of one thread, so the globals here are not shared.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "laxity/transport/atomics_policy.hpp"
#include "tests/effort.hpp"

// relacy is included last, because its macros would change the headers above.
#include <relacy/relacy.hpp>
#undef new
#undef delete
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef assert
#undef errno
#undef memory_order_relaxed
#undef memory_order_consume
#undef memory_order_acquire
#undef memory_order_release
#undef memory_order_acq_rel
#undef memory_order_seq_cst

namespace laxity::interleaving {

/// A mutant: the site with this number uses this order. Number 0 is no site: the unchanged source.
struct Mutant {
  int site = 0;
  rl::memory_order order = rl::mo_relaxed;
};
inline Mutant planted;

/// The order that each site used, by number. Sites stronger than relaxed need mutants.
inline std::array<rl::memory_order, 16> orders_seen{};

inline rl::memory_order order_of(AtomicSite site) {
  if (site.number == planted.site) return planted.order;
  rl::memory_order order = rl::mo_relaxed;
  if (site.order == std::memory_order_acquire) order = rl::mo_acquire;
  if (site.order == std::memory_order_release) order = rl::mo_release;
  if (site.order == std::memory_order_acq_rel) order = rl::mo_acq_rel;
  orders_seen.at(static_cast<std::size_t>(site.number)) = order;
  return order;
}

/// Destroys relacy's objects at the end of every execution, as it requires: a ring in raw memory has no destructor.
/// (A fixed array, because relacy also replaces operator new while a scenario runs.)
class Graveyard {
 public:
  template <class T>
  void remember(T* object) {
    items_.at(size_++) = {object, [](void* place) { static_cast<T*>(place)->~T(); }};
  }
  void bury() {
    for (std::size_t i = 0; i < size_; ++i) items_[i].destroy(items_[i].object);
    size_ = 0;
  }
  void discard() { size_ = 0; }

 private:
  struct Item {
    void* object = nullptr;
    void (*destroy)(void*) = nullptr;
  };
  std::array<Item, 256> items_;
  std::size_t size_ = 0;
};
inline Graveyard graveyard;

struct RelacyAtomics {
  template <class T>
  class Atomic {
   public:
    explicit Atomic(T value) {
      word_.store(value, rl::mo_relaxed, RL_INFO);
      graveyard.remember(this);
    }
    [[nodiscard]] T load(AtomicSite site) const { return word_.load(order_of(site), RL_INFO); }
    void store(T value, AtomicSite site) { word_.store(value, order_of(site), RL_INFO); }
    [[nodiscard]] T exchange(T value, AtomicSite site) { return word_.exchange(value, order_of(site), RL_INFO); }
    [[nodiscard]] bool compare_exchange(T& expected, T desired, AtomicSite site) {
      return word_.compare_exchange_weak(expected, desired, order_of(site), RL_INFO, rl::mo_relaxed, RL_INFO);
    }

   private:
    rl::atomic<T> word_;
  };

  template <class T>
  class Plain {
   public:
    explicit Plain(T value) {
      word_(RL_INFO) = value;
      graveyard.remember(this);
    }
    [[nodiscard]] T get() const { return word_(RL_INFO); }
    void set(T value) { word_(RL_INFO) = value; }

   private:
    rl::var<T> word_;
  };
};

/// The payloads of at most `frames` frames of a ring as variables that relacy checks, one for each address of a frame.
template <std::size_t frames = 8>
class Payloads {
 public:
  void write(std::byte* frame, unsigned value) { at(frame)(RL_INFO) = value; }
  [[nodiscard]] unsigned read(const std::byte* frame) { return at(frame)(RL_INFO); }

 private:
  rl::var<unsigned>& at(const std::byte* frame) {
    std::size_t place = 0;
    while (frames_.at(place) != nullptr && frames_[place] != frame) ++place;
    frames_[place] = frame;
    return values_[place];
  }
  std::array<const std::byte*, frames> frames_{};
  std::array<rl::var<unsigned>, frames> values_;
};

/// The search of a scenario. Bound 0: every interleaving; otherwise all with at most that number of preemptions. For a
/// scenario that is too large, a number of random executions.
struct Search {
  unsigned bound = 0;
  unsigned random = 0;
};
inline constexpr Search every_interleaving{0};

struct Finding {
  bool clean;
  std::string what;
  std::uint64_t executions;
};

template <class Scenario>
Finding explore(Search search) {
  std::ostream silent(nullptr);
  rl::test_params params;
  params.output_stream = planted.site == 0 ? &std::cout : &silent;  // a failing execution is printed step by step
  params.progress_stream = &silent;
  params.search_type = search.bound == 0 ? rl::sched_full : rl::sched_bound;
  params.context_bound = search.bound;
  if (search.random != 0) {
    params.search_type = rl::sched_random;
    params.iteration_count = search.random;
  }
  const bool clean = rl::simulate<Scenario>(params);
  graveyard.discard();
  return {clean, clean ? "" : rl::test_result_str(params.test_result), params.stop_iteration};
}

/// Explores the unchanged scenario (no error may be found), then with each memory order weakened (each must be
/// detected). An effort of n adds n - 1 preemptions to the bound of the scenario as it is, or takes n times the random
/// executions.
template <class Scenario>
void expect_clean_and_every_order_needed(Search search) {
  planted = {};
  orders_seen.fill(rl::mo_relaxed);
  const Finding unmutated =
      explore<Scenario>({search.bound == 0 ? 0 : search.bound + effort() - 1, search.random * effort()});
  EXPECT_TRUE(unmutated.clean) << unmutated.what << " after " << unmutated.executions << " executions";
  ::testing::Test::RecordProperty("executions", std::to_string(unmutated.executions));
  std::printf("clean after %llu executions\n", static_cast<unsigned long long>(unmutated.executions));

  const auto orders = orders_seen;
  int mutants = 0;
  for (std::size_t site = 0; site < orders.size(); ++site) {
    if (orders[site] == rl::mo_relaxed) continue;
    std::vector<rl::memory_order> weaker{rl::mo_relaxed};
    if (orders[site] == rl::mo_acq_rel) weaker = {rl::mo_acquire, rl::mo_release, rl::mo_relaxed};
    for (const rl::memory_order weak : weaker) {
      planted = {static_cast<int>(site), weak};
      const Finding mutated = explore<Scenario>(search);
      EXPECT_FALSE(mutated.clean) << "site " << site << " weakened to " << rl::format(weak) << " went unnoticed";
      std::printf("site %zu, %s for %s: %s\n", site, rl::format(weak), rl::format(orders[site]),
                  mutated.clean ? "NOT CAUGHT" : mutated.what.c_str());
      ++mutants;
    }
  }
  EXPECT_GT(mutants, 0);
  planted = {};
}

}  // namespace laxity::interleaving
