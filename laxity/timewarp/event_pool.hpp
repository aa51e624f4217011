// Memory for the event records of one worker: numbered, reused last in first out, bounded.
//
// The whole address range is reserved at once, so that a record is found by one multiplication; pages are taken when
// they are first used, by the worker itself, so they lie on its NUMA node. Huge pages are asked for, because events are
// reached in random order.
//
// Invariants: at most `capacity` records are out; a record's memory is reused most recently freed first, which is the
// one still in the cache. Threads: one.
#pragma once

#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>

#include "laxity/check.hpp"
#include "laxity/error.hpp"
#include "laxity/timewarp/event.hpp"

namespace laxity::timewarp {

template <class Record>
class EventPool {
 public:
  static_assert(std::is_trivially_copyable_v<Record> && sizeof(Record) >= sizeof(EventId));

  /// Reserves room for `capacity` records. Throws SystemError.
  explicit EventPool(std::size_t capacity) : capacity_(capacity) {
    LAXITY_CHECK(capacity > 0 && capacity < no_event);
    void* place = ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) throw SystemError("mmap(" + std::to_string(bytes()) + " bytes for events)", errno);
    static_cast<void>(::madvise(place, bytes(), MADV_HUGEPAGE));
    first_ = static_cast<std::byte*>(place);
  }
  EventPool(const EventPool&) = delete;
  EventPool& operator=(const EventPool&) = delete;
  ~EventPool() { ::munmap(first_, bytes()); }

  /// An unused record, or no_event if all are out.
  [[nodiscard]] EventId take() noexcept {
    if (free_ != no_event) {
      const EventId taken = free_;
      std::memcpy(&free_, place(taken), sizeof free_);
      ++out_;
      return taken;
    }
    if (touched_ == capacity_) return no_event;
    ++out_;
    return static_cast<EventId>(touched_++);
  }

  void give_back(EventId event) noexcept {
    std::memcpy(place(event), &free_, sizeof free_);
    free_ = event;
    --out_;
  }

  [[nodiscard]] Record& operator[](EventId event) noexcept { return *reinterpret_cast<Record*>(place(event)); }

  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::size_t out() const noexcept { return out_; }          ///< in use now
  [[nodiscard]] std::size_t touched() const noexcept { return touched_; }  ///< in use at most, so far
  [[nodiscard]] std::size_t left() const noexcept { return capacity_ - out_; }

 private:
  // Records smaller than this lie on lines of their own, so that one is one cache miss.
  static constexpr std::size_t line = 64;
  static constexpr std::size_t stride = (sizeof(Record) + line - 1) / line * line;

  [[nodiscard]] std::size_t bytes() const noexcept { return capacity_ * stride; }
  [[nodiscard]] std::byte* place(EventId event) noexcept { return first_ + event * stride; }

  std::size_t capacity_;
  std::byte* first_ = nullptr;
  EventId free_ = no_event;
  std::size_t touched_ = 0;
  std::size_t out_ = 0;
};

}  // namespace laxity::timewarp
