// The two figures of a collective call whose processes arrive apart: total delay and last delay.
//
// Source: Salimi Beni, Cosenza and Hunold, II-A, equations 1 and 2. Threads: pure functions. Elsewhere: the arrivals and
// exits themselves (arrival_benchmark.hpp, trace/).
#pragma once

#include <cstdint>
#include <span>

namespace laxity::collective {

/// When the first and the last process arrived at a call, and when the last left it; ns on the global clock.
struct CallTimes {
  std::int64_t first_arrival_ns = 0;
  std::int64_t last_arrival_ns = 0;
  std::int64_t last_exit_ns = 0;

  /// From the last arrival to the last exit: what is left of the call once nobody is missing. Never below 0, since the
  /// last to arrive leaves after that.
  [[nodiscard]] double last_delay_us() const noexcept {
    return static_cast<double>(last_exit_ns - last_arrival_ns) * 1e-3;
  }
  /// From the first arrival to the last exit: the skew of the processes is part of it.
  [[nodiscard]] double total_delay_us() const noexcept {
    return static_cast<double>(last_exit_ns - first_arrival_ns) * 1e-3;
  }
};

/// Of one call, from the arrival and the exit of each process; as many of either, at least one. Throws UsageError.
[[nodiscard]] CallTimes call_times(std::span<const std::int64_t> arrivals_ns, std::span<const std::int64_t> exits_ns);

}  // namespace laxity::collective
