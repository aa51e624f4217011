// Waiting for a time of a clock with an error of about a microsecond, by spinning or by yielding between readings.
//
// Spinning occupies a processor that other processes may need: with more processes than cores some would always be
// late.
// Invariants: neither way sleeps, since the system wakes a process up tens of microseconds late.
// Threads: any.
#pragma once

#include <cstdint>
#include <thread>

#include "laxity/clock/clock.hpp"

namespace laxity {

enum class DeadlineWait {
  spin,   ///< for processes with a core each
  yield,  ///< for processes that share cores
};

/// Returns the first reading at or past `deadline_ns`; at once if that has passed.
template <Clock C>
std::int64_t wait_until(const C& clock, std::int64_t deadline_ns, DeadlineWait waiting) noexcept {
  std::int64_t now_ns = clock.now_ns();
  while (now_ns < deadline_ns) {
    if (waiting == DeadlineWait::yield) std::this_thread::yield();
    now_ns = clock.now_ns();
  }
  return now_ns;
}

}  // namespace laxity
