// A bounded pool of numbered records, for the event memory of one worker.
//
// The whole address range is reserved at once, so that a record is found by one multiplication. Pages are allocated
// when the worker first touches them. Huge pages are requested, because records are accessed in random order.
//
// Invariants: at most `capacity` records are in use; the record that was released last is reused first, as it is the
// most likely one to be in the cache. Threads: one. Elsewhere: on which NUMA node the memory lies
// (memory_placement.hpp).
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "laxity/check.hpp"
#include "laxity/error.hpp"
#include "laxity/timewarp/event.hpp"
#include "laxity/timewarp/state/memory_placement.hpp"

namespace laxity::timewarp {

template <class Record>
class EventPool {
 public:
  static_assert(std::is_trivially_destructible_v<Record>);

  /// Reserves address space for `capacity` records, zeroed until their first use. Throws SystemError.
  explicit EventPool(std::size_t capacity, MemoryPlacement placement = MemoryPlacement::local) : capacity_(capacity) {
    LAXITY_CHECK(capacity > 0 && capacity < no_event);
    void* memory = ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw SystemError("mmap(" + std::to_string(bytes()) + " bytes for events)", errno);
    static_cast<void>(::madvise(memory, bytes(), MADV_HUGEPAGE));
    static_cast<void>(timewarp::place(memory, bytes(), placement));  // if refused, the default policy holds
    first_ = static_cast<std::byte*>(memory);
  }
  EventPool(const EventPool&) = delete;
  EventPool& operator=(const EventPool&) = delete;
  ~EventPool() { ::munmap(first_, bytes()); }

  /// A free record, or no_event if all are in use.
  [[nodiscard]] EventId allocate() {
    if (free_ == 0) [[unlikely]]
      return allocate_first_use();
    const EventId id = stack_[--free_];
    if (free_ >= soon) prefetch(stack_[free_ - soon]);
    return id;
  }

  void release(EventId event) noexcept { stack_[free_++] = event; }

  // Always inlined: GCC 12 considers a function that only prefetches free of effects, and drops calls to it.
  [[gnu::always_inline]] void prefetch(EventId event) noexcept {
    for (std::size_t offset = 0; offset < sizeof(Record); offset += line) __builtin_prefetch(place(event) + offset, 1);
  }

  [[nodiscard]] Record& operator[](EventId event) noexcept { return *reinterpret_cast<Record*>(place(event)); }

  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  /// The number of records that `bytes` hold, at least 16 and at most `max`.
  [[nodiscard]] static std::size_t fitting_in(std::size_t bytes, std::size_t max) noexcept {
    return std::min(max, std::max<std::size_t>(16, bytes / bytes_per_record()));
  }
  /// With the numbers that the pool, the pending-event set and the lists of sent events have of it.
  [[nodiscard]] static constexpr std::size_t bytes_per_record() noexcept { return stride + bookkeeping; }
  [[nodiscard]] std::size_t in_use() const noexcept { return peak_in_use() - free_; }  ///< records
  [[nodiscard]] std::size_t peak_in_use() const noexcept { return stack_.size(); }  ///< the maximum of in_use() so far
  [[nodiscard]] std::size_t free_count() const noexcept { return capacity_ - in_use(); }

 private:
  static constexpr std::size_t line = 64;
  static constexpr std::size_t soon = 3;  // allocations ahead of which a record is prefetched
  // A record occupies as few cache lines as possible.
  static constexpr std::size_t stride =
      sizeof(Record) < line ? std::bit_ceil(sizeof(Record)) : (sizeof(Record) + line - 1) / line * line;

  static constexpr std::size_t bookkeeping = 64;

  [[nodiscard, gnu::noinline]] EventId allocate_first_use() {
    if (peak_in_use() == capacity_) return no_event;
    stack_.push_back(no_event);
    return static_cast<EventId>(peak_in_use() - 1);
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return capacity_ * stride; }
  [[nodiscard]] std::byte* place(EventId event) noexcept { return first_ + event * stride; }

  std::size_t capacity_;
  std::byte* first_ = nullptr;
  // The first free_ elements are the numbers of the free records. As long as the number of records ever used, so that
  // release() never allocates. Kept apart from the records, which are often not in any cache.
  std::vector<EventId> stack_;
  std::size_t free_ = 0;
};

}  // namespace laxity::timewarp
