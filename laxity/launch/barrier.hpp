// A barrier for the threads and processes of one host, in memory that they share.
//
// Every member stores the number it has reached in a cache line of its own, and waits until all others have reached it.
// One line travels each way, which for two members is the minimum that the hardware allows. Each member reads a line of
// every other one, so the total work grows with the square of their number: suitable for the workers of one host.
// Numbers may be skipped ("everybody has reached second 12"); so are barriers at fixed points of time made.
//
// Invariants: a member's number never decreases; no member passes number n before every member has reached n or left.
// Threads: a BarrierMember belongs to one thread; any thread may leave on behalf of a dead member and break the
// barrier.
// Elsewhere: when workers wait for each other (pacing.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace laxity {

/// How a member waits before it sleeps. With more workers than processors it should yield, since others need the
/// processor.
enum class WaitStyle : std::uint32_t { spin, yield };

/// Called while a member waits, so that a worker that leads its host can exchange its status with other hosts.
class WaitHook {
 public:
  /// Never blocks. Called every time a waiting member checks the others, and once at the end of the wait.
  virtual void poll() noexcept = 0;

 protected:
  ~WaitHook() = default;
};

/// A view of a barrier in memory that it does not own. Copies are views of the same barrier.
class Barrier {
 public:
  /// Size of a barrier, bytes.
  [[nodiscard]] static std::size_t bytes_needed(int members) noexcept;
  /// Makes a barrier in `memory`, which is 64-byte aligned and bytes_needed() long, before any process attaches to it.
  static Barrier create(std::byte* memory, int members, WaitStyle style = WaitStyle::spin) noexcept;
  static Barrier attach(std::byte* memory) noexcept { return Barrier(memory); }

  [[nodiscard]] int members() const noexcept { return static_cast<int>(header().members); }

  /// The number that the member has reached; `left` if it has left.
  [[nodiscard]] std::uint64_t reached(int member) const noexcept {
    return places()[member].reached.load(std::memory_order_acquire);  // pairs with B1
  }
  static constexpr std::uint64_t left = ~std::uint64_t{0};

  /// From now on nobody waits for this member. Called by the member itself, or by any process once it is dead.
  void leave(int member) const noexcept;
  /// Breaks the barrier: all present and future waits end at once and return false.
  void break_up() const noexcept { header().broken.store(true, std::memory_order_release); }
  [[nodiscard]] bool broken() const noexcept { return header().broken.load(std::memory_order_acquire); }

 private:
  friend class BarrierMember;

  struct alignas(64) Header {
    std::uint32_t members;
    WaitStyle style;
    std::atomic<bool> broken;
  };
  struct alignas(64) Place {
    std::atomic<std::uint64_t> reached;
  };

  explicit Barrier(std::byte* memory) noexcept : memory_(memory) {}
  [[nodiscard]] Header& header() const noexcept { return *reinterpret_cast<Header*>(memory_); }
  [[nodiscard]] Place* places() const noexcept { return reinterpret_cast<Place*>(memory_ + sizeof(Header)); }

  std::byte* memory_;
};

/// One member of a barrier. Its destructor does not leave the barrier; Pacer and Worker do.
class BarrierMember {
 public:
  BarrierMember(Barrier barrier, int member, WaitHook* wait_hook = nullptr) noexcept
      : barrier_(barrier), wait_hook_(wait_hook), member_(member) {}

  /// Waits until every member has arrived as often as this one. False: the barrier is broken because a worker was lost.
  [[nodiscard]] bool arrive_and_wait() noexcept { return reach(number_ + 1); }

  /// Sets this member's number, which must not decrease, and waits until every member has reached it. False: broken.
  [[nodiscard]] bool reach(std::uint64_t number) noexcept {
    announce(number);
    const Barrier::Place* const places = barrier_.places();
    const int members = barrier_.members();
    bool whole = true;
    for (int other = 0; other < members && whole; ++other) {
      if (places[other].reached.load(std::memory_order_acquire) < number) [[unlikely]]  // pairs with B1
        whole = wait_for(places[other], number);
    }
    if (wait_hook_ != nullptr) [[unlikely]]
      wait_hook_->poll();
    return whole && !barrier_.broken();
  }

  /// Sets this member's number without waiting: the others do not wait for it up to that number.
  void announce(std::uint64_t number) noexcept {
    number_ = number;
    barrier_.places()[member_].reached.store(number, std::memory_order_release);  // B1: publishes what was done before
  }

  void leave() noexcept { barrier_.leave(member_); }

 private:
  // Spins, then yields, then sleeps, each time for a sixteenth of the time waited so far. False: broken.
  [[nodiscard]] bool wait_for(const Barrier::Place& place, std::uint64_t number) const noexcept;

  Barrier barrier_;
  WaitHook* wait_hook_;
  int member_;
  std::uint64_t number_ = 0;
};

}  // namespace laxity
