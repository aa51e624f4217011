// The two figures of a collective call whose processes arrive at different times: total delay and last delay.
//
// Source: Salimi Beni, Cosenza and Hunold, II-A, equations 1 and 2. Threads: pure functions. Elsewhere: measuring
// arrivals and exits (arrival_benchmark.hpp), the same figures of traced calls (laxity/trace/analysis/summary.hpp).
#pragma once

#include <cstdint>
#include <span>

namespace laxity::collective {

/// The first and the last arrival time of a call, and its last exit time; ns on the global clock.
struct CallTimes {
  std::int64_t first_arrival_ns = 0;
  std::int64_t last_arrival_ns = 0;
  std::int64_t last_exit_ns = 0;

  /// From the last arrival to the last exit: the part of the call in which all processes take part. Never negative,
  /// since the last process to arrive exits later.
  [[nodiscard]] double last_delay_us() const noexcept {
    return static_cast<double>(last_exit_ns - last_arrival_ns) * 1e-3;
  }
  /// From the first arrival to the last exit; it includes the skew.
  [[nodiscard]] double total_delay_us() const noexcept {
    return static_cast<double>(last_exit_ns - first_arrival_ns) * 1e-3;
  }
};

/// The times of one call from the arrival and the exit of each process. Throws UsageError unless both spans have the
/// same number of entries, at least one.
[[nodiscard]] CallTimes call_times(std::span<const std::int64_t> arrivals_ns, std::span<const std::int64_t> exits_ns);

}  // namespace laxity::collective
