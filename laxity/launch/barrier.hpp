// A barrier for the threads and processes of one host, in memory that they share.
//
// Every member announces in a cache line of its own the number it has reached, and waits until all others have reached
// it. One line travels each way, all at once, which for two members is the least that the hardware allows. Invariants:
// a member's number never decreases; nobody passes number n before every member has reached n or left. Numbers may be
// skipped ("everybody is at least at second 12"), which is how barriers at agreed points of time are made. Threads: a
// BarrierMember belongs to one thread; leaving on behalf of a dead member and breaking may be done from anywhere. Cost:
// each member reads a line of every other one, so the work of all grows with the square of their number: good for the
// workers of one host. Elsewhere: when workers meet (pacing.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace laxity {

/// How a wait spends its time before it sleeps. More workers than processors: do not spin, others need the processor.
enum class WaitStyle : std::uint32_t { spin, yield };

/// What a member does for others while it waits: a worker that leads its host carries news to other hosts.
class WhileWaiting {
 public:
  /// Never blocks. Called at every look of a wait, and once at its end.
  virtual void turn() noexcept = 0;

 protected:
  ~WhileWaiting() = default;
};

/// The view of a barrier in memory that somebody else owns. Copies are views of the same barrier.
class Barrier {
 public:
  /// Memory a barrier needs, bytes.
  [[nodiscard]] static std::size_t bytes_needed(int members) noexcept;
  /// Makes a barrier in `memory`: 64-byte aligned, bytes_needed() long. Before anybody attaches.
  static Barrier create(std::byte* memory, int members, WaitStyle style = WaitStyle::spin) noexcept;
  static Barrier attach(std::byte* memory) noexcept { return Barrier(memory); }

  [[nodiscard]] int members() const noexcept { return static_cast<int>(header().members); }

  /// The number that this member has announced last; left if nobody waits for it any more.
  [[nodiscard]] std::uint64_t reached(int member) const noexcept {
    return places()[member].reached.load(std::memory_order_acquire);  // pairs with B1
  }
  static constexpr std::uint64_t left = ~std::uint64_t{0};

  /// Nobody waits for this member any more. By the member itself, or by anybody once it is dead.
  void leave(int member) const noexcept;
  /// Everybody who waits, and everybody who comes later, goes on and is told so.
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

/// One member's end of a barrier. Does not leave by itself: see Pacer and Worker, which do.
class BarrierMember {
 public:
  BarrierMember(Barrier barrier, int member, WhileWaiting* while_waiting = nullptr) noexcept
      : barrier_(barrier), while_waiting_(while_waiting), member_(member) {}

  /// Waits until every member has arrived as often as this one. False: the barrier is broken, a worker was lost.
  [[nodiscard]] bool arrive_and_wait() noexcept { return reach(number_ + 1); }

  /// Announces `number`, not less than the last one, and waits until every member has reached it. False: broken.
  [[nodiscard]] bool reach(std::uint64_t number) noexcept {
    announce(number);
    const Barrier::Place* const places = barrier_.places();
    const int members = barrier_.members();
    bool whole = true;
    for (int other = 0; other < members && whole; ++other) {
      if (places[other].reached.load(std::memory_order_acquire) < number) [[unlikely]]  // pairs with B1
        whole = wait_for(places[other], number);
    }
    if (while_waiting_ != nullptr) [[unlikely]]
      while_waiting_->turn();
    return whole && !barrier_.broken();
  }

  /// Announces `number` without waiting: nobody waits for this member at earlier ones.
  void announce(std::uint64_t number) noexcept {
    number_ = number;
    barrier_.places()[member_].reached.store(number, std::memory_order_release);  // B1: what was done before is visible
  }

  void leave() noexcept { barrier_.leave(member_); }

 private:
  // Spins, then yields, then sleeps ever longer, at most a sixteenth of the time waited so far. False: broken.
  [[nodiscard]] bool wait_for(const Barrier::Place& place, std::uint64_t number) const noexcept;

  Barrier barrier_;
  WhileWaiting* while_waiting_;
  int member_;
  std::uint64_t number_ = 0;
};

}  // namespace laxity
