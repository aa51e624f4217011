// Always-on counters: one writer each, any thread or process may read at any time.
//
// They lie in memory that other processes map, so they hold no pointers. A count is a plain load and store of its owner
// (no read-modify-write); readers see a recent value, never a torn one.
// Elsewhere: the table that holds them (counter_table.hpp), what is computed from them (catalogue.hpp).
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

/// Written by the sending worker. accepted = attempted - refused.
struct alignas(64) InletCounters {
  Counter attempted;   ///< puts
  Counter refused;     ///< puts turned down because the buffer was full
  Counter superseded;  ///< accepted puts replaced by a newer one of the same channel before they left
  Counter unchanged;   ///< puts spared because the value had not changed (send_on_change)
};

/// Written by the receiving worker.
struct alignas(64) OutletCounters {
  Counter pulls;       ///< tries to receive
  Counter laden;       ///< pulls that brought at least one message
  Counter received;    ///< messages that pulls brought, those passed over by a jump included
  Counter superseded;  ///< messages that newer ones overwrote on the way
  Counter touches;     ///< touch count of the channel pair: 1 + the count carried by the last message
};

}  // namespace laxity
