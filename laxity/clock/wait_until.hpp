// Waiting for a moment on a clock, to the microsecond: spinning, or giving way to others between readings.
//
// Pure spinning keeps the processor from those who share it: with more processes than cores somebody is always late.
// Invariants: neither way sleeps, since a wake-up by the system comes tens of microseconds late. Threads: safe.
#pragma once

#include <cstdint>
#include <thread>

#include "laxity/clock/clock.hpp"

namespace laxity {

enum class Waiting {
  spin,   ///< every waiter has a core to itself
  yield,  ///< waiters share cores
};

/// Returns the first reading at or past `deadline_ns`; at once if that has passed.
template <Clock C>
std::int64_t wait_until(const C& clock, std::int64_t deadline_ns, Waiting waiting) noexcept {
  std::int64_t now_ns = clock.now_ns();
  while (now_ns < deadline_ns) {
    if (waiting == Waiting::yield) std::this_thread::yield();
    now_ns = clock.now_ns();
  }
  return now_ns;
}

}  // namespace laxity
