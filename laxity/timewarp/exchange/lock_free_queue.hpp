// A lock-free queue of fixed size for several producers and one consumer. For comparison only (queue_exchange.hpp).
//
// Every cell has a sequence number: that of the item that may be stored next, plus one when it is stored. Producers
// compete for a sequence number and then fill its cell. A producer that is stopped in between delays only the consumer.
//
// Source: D. Vyukov, Bounded MPMC queue (2010), here for one consumer.
// Invariants: the items of one producer are popped in order, each once.
// Threads: any thread calls try_push(), one calls try_pop(). Elsewhere: the test under an interleaving checker
// (tests/interleaving).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include "laxity/transport/atomics_policy.hpp"

namespace laxity::timewarp {

/// The atomics of the hardware, with the compare-and-exchange that rings do not need.
struct StdQueueAtomics {
  template <class T>
  class Atomic {
   public:
    explicit Atomic(T value) noexcept : value_(value) {}
    [[nodiscard]] T load(AtomicSite site) const noexcept { return value_.load(site.order); }
    void store(T value, AtomicSite site) noexcept { value_.store(value, site.order); }
    /// May fail spuriously; `expected` is then the value read.
    [[nodiscard]] bool compare_exchange(T& expected, T desired, AtomicSite site) noexcept {
      return value_.compare_exchange_weak(expected, desired, site.order, std::memory_order_relaxed);
    }

   private:
    std::atomic<T> value_;
  };
  template <class T>
  using Plain = StdAtomics::Plain<T>;
};

template <class T, std::size_t capacity, class Atomics = StdQueueAtomics>
class LockFreeQueue {
 public:
  LockFreeQueue() {
    for (std::size_t i = 0; i < capacity; ++i) cells_[i].sequence.store(i, first_sequence);
  }

  /// False: full.
  [[nodiscard]] bool try_push(const T& item) {
    std::size_t place = tail_.load(tail_seen);
    for (;;) {
      Cell& cell = cells_[place % capacity];
      const std::size_t sequence = cell.sequence.load(see_empty);
      if (sequence == place) {
        if (tail_.compare_exchange(place, place + 1, claim)) {
          cell.item.set(item);
          cell.sequence.store(place + 1, publish_item);
          return true;
        }
      } else if (static_cast<std::ptrdiff_t>(sequence - place) < 0) {
        return false;
      } else {
        place = tail_.load(tail_seen);
      }
    }
  }

  /// Calls consume(item) and returns true; false if the queue is empty. For the consumer only.
  template <class Consume>
  bool try_pop(Consume consume) {
    Cell& cell = cells_[head_ % capacity];
    if (cell.sequence.load(see_item) != head_ + 1) return false;
    consume(cell.item.get());
    cell.sequence.store(head_ + capacity, publish_empty);
    ++head_;
    return true;
  }

 private:
  static constexpr AtomicSite first_sequence{1, std::memory_order_relaxed};
  static constexpr AtomicSite tail_seen{2, std::memory_order_relaxed};
  static constexpr AtomicSite claim{
      3, std::memory_order_relaxed};  // reserves a number only; the cell publishes its content itself
  static constexpr AtomicSite see_empty{4, std::memory_order_acquire};     // pairs with publish_empty
  static constexpr AtomicSite publish_item{5, std::memory_order_release};  // pairs with see_item
  static constexpr AtomicSite see_item{6, std::memory_order_acquire};
  static constexpr AtomicSite publish_empty{7, std::memory_order_release};

  struct Cell {
    typename Atomics::template Atomic<std::size_t> sequence{0};
    typename Atomics::template Plain<T> item{T{}};
  };
  alignas(64) typename Atomics::template Atomic<std::size_t> tail_{0};
  alignas(64) std::size_t head_ = 0;
  alignas(64) std::array<Cell, capacity> cells_;
};

}  // namespace laxity::timewarp
