// What a ring's atomics are made of, so that the same source runs on the hardware and under an interleaving checker.
//
// A ring writes its shared words as Atomics::Atomic<T> and gives every operation a Site: the memory order and a number.
// StdAtomics is std::atomic; tests/interleaving brings a policy made of relacy's atomics, and mutants that weaken the
// order of one numbered site at a time, each of which the checker must catch. Plain words that travel with a frame are
// Atomics::Plain<T>, so that the checker sees races on them; here they are just T.
#pragma once

#include <atomic>

namespace laxity {

/// One atomic operation in the source. Numbers are unique within one ring's header.
struct Site {
  int number;
  std::memory_order order;
};

/// Atomics of the machine: lock-free words that may lie in memory shared by processes.
struct StdAtomics {
  template <class T>
  class Atomic {
    static_assert(std::atomic<T>::is_always_lock_free);

   public:
    explicit Atomic(T value) noexcept : value_(value) {}
    [[nodiscard]] T load(Site site) const noexcept { return value_.load(site.order); }
    void store(T value, Site site) noexcept { value_.store(value, site.order); }
    [[nodiscard]] T exchange(T value, Site site) noexcept { return value_.exchange(value, site.order); }

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
