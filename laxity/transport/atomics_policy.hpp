// The policy for atomics: with it the same source runs on the hardware and under an interleaving checker.
//
// A ring declares its shared words as Atomics::Atomic<T> and passes an AtomicSite to every operation: a number and the
// memory order. StdAtomics uses std::atomic; tests/interleaving has a policy with relacy's atomics, and mutants that
// weaken the order of one site at a time, each of which the checker must detect. Non-atomic words that belong to a
// frame are Atomics::Plain<T>, so that the checker detects races on them; in StdAtomics they are just T.
//
// Threads: any.
#pragma once

#include <atomic>

namespace laxity {

/// One atomic operation in the source. Numbers are unique within one ring's header.
struct AtomicSite {
  int number;
  std::memory_order order;
};

/// Atomics of the hardware: lock-free words that may lie in memory shared by processes.
struct StdAtomics {
  template <class T>
  class Atomic {
    static_assert(std::atomic<T>::is_always_lock_free);

   public:
    explicit Atomic(T value) noexcept : value_(value) {}
    [[nodiscard]] T load(AtomicSite site) const noexcept { return value_.load(site.order); }
    void store(T value, AtomicSite site) noexcept { value_.store(value, site.order); }
    [[nodiscard]] T exchange(T value, AtomicSite site) noexcept { return value_.exchange(value, site.order); }

   private:
    std::atomic<T> value_;
  };

  template <class T>
  class Plain {
   public:
    explicit Plain(T value) noexcept : value_(value) {}
    [[nodiscard]] T get() const noexcept { return value_; }
    void set(T value) noexcept { value_ = value; }

   private:
    T value_;
  };
};

}  // namespace laxity
