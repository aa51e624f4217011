// A count that its owner advances at the cost of an addition, while any thread or process reads it.
//
// It lies in memory that other processes map. Advancing is a plain load and store of the owner (no read-modify-write);
// readers see a recent value, never a torn one.
// Elsewhere: what is counted (counters.hpp), what counting costs (benchmarks/counters).
#pragma once

#include <atomic>
#include <cstdint>

namespace laxity {

/// A cumulative count with one writer.
class Counter {
 public:
  void add(std::uint64_t n = 1) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  void set(std::uint64_t value) noexcept { value_.store(value, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t read() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace laxity
