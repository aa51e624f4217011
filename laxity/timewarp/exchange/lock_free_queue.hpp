// A lock-free queue of fixed size: any thread sends, one receives.
//
// Every cell has a turn: the number of the letter that may be put in next, or one more when it is in. Senders compete for
// a number and then fill its cell undisturbed. A sender that is stopped between the two holds up the receiver, nobody else.
//
// Source: D. Vyukov, Bounded MPMC queue (2010), here for one receiver. Invariants: letters of one sender arrive in order,
// each once. Elsewhere: the same under an interleaving checker (tests/interleaving); the queues with locks beside which
// it is compared (queue_exchange.hpp).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include "laxity/transport/atomics_policy.hpp"

namespace laxity::timewarp {

/// Atomics of the machine, with the compare-and-exchange that rings do without.
struct StdQueueAtomics {
  template <class T>
  class Atomic {
   public:
    explicit Atomic(T value) noexcept : value_(value) {}
    [[nodiscard]] T load(Site site) const noexcept { return value_.load(site.order); }
    void store(T value, Site site) noexcept { value_.store(value, site.order); }
    /// May fail for no reason; `expected` is then what was seen.
    [[nodiscard]] bool compare_exchange(T& expected, T desired, Site site) noexcept {
      return value_.compare_exchange_weak(expected, desired, site.order, std::memory_order_relaxed);
    }

   private:
    std::atomic<T> value_;
  };
  template <class T>
  using Plain = StdAtomics::Plain<T>;
};

template <class Letter, std::size_t capacity, class Atomics = StdQueueAtomics>
class LockFreeQueue {
 public:
  LockFreeQueue() {
    for (std::size_t i = 0; i < capacity; ++i) cells_[i].turn.store(i, first_turn);
  }

  /// False: full.
  [[nodiscard]] bool try_push(const Letter& letter) {
    std::size_t place = tail_.load(tail_seen);
    for (;;) {
      Cell& cell = cells_[place % capacity];
      const std::size_t turn = cell.turn.load(see_empty);
      if (turn == place) {
        if (tail_.compare_exchange(place, place + 1, claim)) {
          cell.letter.set(letter);
          cell.turn.store(place + 1, publish_letter);
          return true;
        }
      } else if (static_cast<std::ptrdiff_t>(turn - place) < 0) {
        return false;
      } else {
        place = tail_.load(tail_seen);
      }
    }
  }

  /// Calls take(letter) and returns true, unless the next letter is not there yet. The receiver's.
  template <class Take>
  bool try_pop(Take take) {
    Cell& cell = cells_[head_ % capacity];
    if (cell.turn.load(see_letter) != head_ + 1) return false;
    take(cell.letter.get());
    cell.turn.store(head_ + capacity, publish_empty);
    ++head_;
    return true;
  }

 private:
  static constexpr Site first_turn{1, std::memory_order_relaxed};
  static constexpr Site tail_seen{2, std::memory_order_relaxed};
  static constexpr Site claim{3, std::memory_order_relaxed};      // a number only; the cell hands over its own content
  static constexpr Site see_empty{4, std::memory_order_acquire};  // pairs with publish_empty
  static constexpr Site publish_letter{5, std::memory_order_release};  // pairs with see_letter
  static constexpr Site see_letter{6, std::memory_order_acquire};
  static constexpr Site publish_empty{7, std::memory_order_release};

  struct Cell {
    typename Atomics::template Atomic<std::size_t> turn{0};
    typename Atomics::template Plain<Letter> letter{Letter{}};
  };
  alignas(64) typename Atomics::template Atomic<std::size_t> tail_{0};
  alignas(64) std::size_t head_ = 0;
  alignas(64) std::array<Cell, capacity> cells_;
};

}  // namespace laxity::timewarp
