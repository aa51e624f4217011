// Memory for the event records of one worker: numbered, reused last in first out, bounded.
//
// The whole address range is reserved at once, so that a record is found by one multiplication; pages are taken when
// they are first used, by the worker itself. Huge pages are asked for, because events are reached in random order.
//
// Invariants: at most `capacity` records are out; a record's memory is reused most recently freed first, which is the
// one still in the cache. Threads: one. Elsewhere: on which node the memory lies (memory_placement.hpp).
#pragma once

#include <sys/mman.h>

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

  /// Reserves room for `capacity` records, zeroed until they are used. Throws SystemError.
  explicit EventPool(std::size_t capacity, MemoryPlacement placement = MemoryPlacement::local) : capacity_(capacity) {
    LAXITY_CHECK(capacity > 0 && capacity < no_event);
    void* room = ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) throw SystemError("mmap(" + std::to_string(bytes()) + " bytes for events)", errno);
    static_cast<void>(::madvise(room, bytes(), MADV_HUGEPAGE));
    static_cast<void>(timewarp::place(room, bytes(), placement));  // where the system does not obey, its default holds
    first_ = static_cast<std::byte*>(room);
  }
  EventPool(const EventPool&) = delete;
  EventPool& operator=(const EventPool&) = delete;
  ~EventPool() { ::munmap(first_, bytes()); }

  /// An unused record, or no_event if all are out.
  [[nodiscard]] EventId allocate() {
    if (free_ == 0) [[unlikely]]
      return allocate_first_use();
    const EventId taken = stack_[--free_];
    if (free_ >= soon) prefetch(stack_[free_ - soon]);
    return taken;
  }

  void release(EventId event) noexcept { stack_[free_++] = event; }

  // Inlined always: GCC 12 takes a function that only prefetches for one without effect, and drops calls of it.
  [[gnu::always_inline]] void prefetch(EventId event) noexcept {
    for (std::size_t offset = 0; offset < sizeof(Record); offset += line) __builtin_prefetch(place(event) + offset, 1);
  }

  [[nodiscard]] Record& operator[](EventId event) noexcept { return *reinterpret_cast<Record*>(place(event)); }

  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::size_t in_use() const noexcept { return peak_in_use() - free_; }  ///< in use now
  [[nodiscard]] std::size_t peak_in_use() const noexcept { return stack_.size(); }     ///< in use at most, so far
  [[nodiscard]] std::size_t free_count() const noexcept { return capacity_ - in_use(); }

 private:
  static constexpr std::size_t line = 64;
  static constexpr std::size_t soon = 3;  // records taken before the one that is prefetched
  // A record lies on as few lines as it can.
  static constexpr std::size_t stride =
      sizeof(Record) < line ? std::bit_ceil(sizeof(Record)) : (sizeof(Record) + line - 1) / line * line;

  [[nodiscard, gnu::noinline]] EventId allocate_first_use() {
    if (peak_in_use() == capacity_) return no_event;
    stack_.push_back(no_event);
    return static_cast<EventId>(peak_in_use() - 1);
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return capacity_ * stride; }
  [[nodiscard]] std::byte* place(EventId event) noexcept { return first_ + event * stride; }

  std::size_t capacity_;
  std::byte* first_ = nullptr;
  // Its first free_ numbers are of unused records; as long as records were touched, so that there is always room. Apart from
  // the records, which may be far from any cache.
  std::vector<EventId> stack_;
  std::size_t free_ = 0;
};

}  // namespace laxity::timewarp
