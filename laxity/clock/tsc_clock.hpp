// The processor's time-stamp counter (TSC) as a clock: a reading takes about 14 ns, of the steady clock 25 ns.
//
// Source: Intel 64 and IA-32 manual, vol. 3B, "Time-Stamp Counter"; AMD64 manual, vol. 3, CPUID Fn8000_0007_EDX[8].
// Invariants: only an invariant counter is used (constant rate, synchronized between cores, running in sleep states);
// without one the clock reads the steady clock, at its cost. The scale is measured once in a process and inherited over
// fork, so that all workers of a team convert ticks in the same way.
// Threads: readings are safe from any thread; the first construction in a process takes about 10 ms.
#pragma once

#include <cstdint>

#include "laxity/clock/clock.hpp"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace laxity {

/// The conversion of ticks to nanoseconds: ns = start_ns + (ticks - start_ticks) * ns_per_tick_2_32 / 2^32.
struct TscScale {
  std::uint64_t start_ticks = 0;
  std::int64_t start_ns = 0;          ///< the steady clock's reading at start_ticks
  std::int64_t ns_per_tick_2_32 = 0;  ///< fixed point; 0: no usable counter

  /// The scale of this host, measured at the first call.
  static const TscScale& of_this_host();
};

/// Shows the time of SteadyClock, with a rate that is right within a few parts per million.
class TscClock {
 public:
  TscClock() : scale_(TscScale::of_this_host()) {}

  [[nodiscard]] std::int64_t now_ns() const noexcept {
#if defined(__x86_64__)
    if (scale_.ns_per_tick_2_32 != 0) return to_ns(__rdtsc());
#endif
    return SteadyClock{}.now_ns();
  }

  /// False: this host has no invariant counter, and readings come from the steady clock.
  [[nodiscard]] bool uses_counter() const noexcept { return scale_.ns_per_tick_2_32 != 0; }

 private:
  [[nodiscard]] std::int64_t to_ns(std::uint64_t ticks) const noexcept {
    __extension__ using Wide =
        __int128;  // 64 bits would overflow after seconds; signed: another core may be a tick behind
    const auto elapsed_ticks = static_cast<std::int64_t>(ticks - scale_.start_ticks);
    return scale_.start_ns + static_cast<std::int64_t>((Wide{elapsed_ticks} * scale_.ns_per_tick_2_32) >> 32);
  }

  TscScale scale_;
};

/// Nanoseconds since 1970 from the counter. The wall clock is read once, at construction, so that readings never go
/// back and need no system call; later corrections of the system's clock are not followed.
class EpochClock {
 public:
  EpochClock() : to_epoch_ns_(wall_clock_ns() - ticking_.now_ns()) {}
  [[nodiscard]] std::int64_t now_ns() const noexcept { return ticking_.now_ns() + to_epoch_ns_; }

 private:
  TscClock ticking_;
  std::int64_t to_epoch_ns_;
};

static_assert(Clock<TscClock> && Clock<EpochClock>);

}  // namespace laxity
