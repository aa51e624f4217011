// Clocks: the concept of a clock, the system's steady and wall clocks, and a manual clock for tests.
//
// A reading is a signed number of nanoseconds. Each clock has its own zero; only EpochClock (tsc_clock.hpp) and
// wall_clock_ns() count from 1970.
// Threads: reading is safe from any thread.
// Elsewhere: the time-stamp counter, for frequent readings (tsc_clock.hpp).
#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>

namespace laxity {

/// A clock in nanoseconds. Copies of a clock show the same time; the readings of one thread never decrease.
template <class C>
concept Clock = std::copyable<C> && requires(const C& clock) {
  { clock.now_ns() } noexcept -> std::same_as<std::int64_t>;
};

/// The system's monotonic clock, about 25 ns a reading. The same in all processes of a host.
class SteadyClock {
 public:
  [[nodiscard]] std::int64_t now_ns() const noexcept {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

/// Nanoseconds since 1970-01-01 00:00 UTC by the system's clock, which an administrator may set back.
[[nodiscard]] inline std::int64_t wall_clock_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// A clock that moves only when it is set, for tests and for replay. Copies share one time.
class ManualClock {
 public:
  explicit ManualClock(std::int64_t start_ns = 0) : time_ns_(std::make_shared<std::atomic<std::int64_t>>(start_ns)) {}

  [[nodiscard]] std::int64_t now_ns() const noexcept { return time_ns_->load(std::memory_order_relaxed); }
  void set_ns(std::int64_t time_ns) noexcept { time_ns_->store(time_ns, std::memory_order_relaxed); }
  void advance_ns(std::int64_t step_ns) noexcept { time_ns_->fetch_add(step_ns, std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<std::int64_t>> time_ns_;
};

static_assert(Clock<SteadyClock> && Clock<ManualClock>);

}  // namespace laxity
