// What the optimistic engine remembers of an event until it is final, so that it can be taken back.
//
// A processed event has an entry in the history of its logical process; its record knows how to bring back the state it
// found (state_saving.hpp) and what it sent. An event sent to another worker is represented here by a stub: its number is
// the handle by which the other side finds its copy when the event is cancelled.
//
// Invariants: a history is in the order of keys; its committed events come first, and are there only as long as an open
// one needs them to coast forward; the oldest can be restored on its own; a stub lives as long as the event that sent it
// may be rolled back. Threads: all of one worker. Elsewhere: who adds and takes back (optimistic_worker.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "laxity/timewarp/event.hpp"
#include "laxity/timewarp/state_saving.hpp"

namespace laxity::timewarp {

/// Where an event stands; EventRecord::mark.
enum class Mark : std::uint32_t {
  pending,    ///< in the pending-event set
  processed,  ///< in a history
  cancelled,  ///< taken back by its sender; dropped when it is reached in the set or undone in the history
};

/// Its mark holds where it stands (2 bits), whether it ends the run, and who sent it: 0 for this worker, else the channel
/// that it came by and 1.
template <Model M>
struct HistoryRecord : EventRecord<M> {
  EventId sent_here;     ///< the first of the events it sent to processes of this worker
  EventId next_sent;     ///< the next of those that the same event sent; of one from elsewhere its sender's handle
  std::uint64_t digest;  ///< what it adds to the run's digest when it is committed
  typename StateSaver<M>::Saved saved;

  static constexpr std::uint32_t from_here = 0;
  [[nodiscard]] static constexpr std::uint32_t from(std::size_t channel) noexcept {
    return static_cast<std::uint32_t>(channel) + 1;
  }

  /// A new event, which waits.
  void begin(std::uint32_t origin) noexcept { this->mark = origin << 3; }

  [[nodiscard]] bool is(Mark now) const noexcept { return (this->mark & 3U) == static_cast<std::uint32_t>(now); }
  void set_mark(Mark now) noexcept { this->mark = (this->mark & ~3U) | static_cast<std::uint32_t>(now); }

  void set_end() noexcept { this->mark |= ends; }
  /// Whether it was set; it is no more.
  [[nodiscard]] bool take_end() noexcept {
    const bool was_set = (this->mark & ends) != 0;
    this->mark &= ~ends;
    return was_set;
  }

  [[nodiscard]] bool is_from_elsewhere() const noexcept { return this->mark >> 3 != from_here; }
  [[nodiscard]] std::size_t channel() const noexcept { return (this->mark >> 3) - 1; }
  [[nodiscard]] std::uint32_t handle() const noexcept { return next_sent; }
  void set_handle(std::uint32_t handle) noexcept { next_sent = handle; }

 private:
  static constexpr std::uint32_t ends = 4;
};

/// What stays here of an event that was sent to another worker; its number is the handle.
struct Stub {
  Key key;
  LpId receiver;
  std::uint32_t to;  ///< the worker that has the event
  EventId next;      ///< the stub of the next that the same event sent
};

/// All that is needed to commit and free a processed event, so that its record is not touched for that.
struct HistoryEntry {
  Key key;
  EventId event;
  EventId sent_away;  ///< the first of the stubs of the events that it sent to other workers
};

/// The processed events of one logical process, oldest first: a ring that grows.
class History {
 public:
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] HistoryEntry& operator[](std::uint32_t i) noexcept { return entries_[(first_ + i) & (capacity_ - 1)]; }
  [[nodiscard]] HistoryEntry& back() noexcept { return (*this)[size_ - 1]; }
  /// Where the next entry goes; for prefetching.
  [[nodiscard]] const HistoryEntry* end() const noexcept { return &entries_[(first_ + size_) & (capacity_ - 1)]; }

  void push_back(const HistoryEntry& entry) {
    if (size_ == capacity_) grow();
    ++size_;
    back() = entry;
  }
  void pop_back() noexcept { --size_; }
  void pop_front() noexcept {
    ++first_;
    --size_;
  }

 private:
  void grow() {
    auto larger = std::make_unique<HistoryEntry[]>(std::size_t{2} * capacity_);
    for (std::uint32_t i = 0; i < size_; ++i) larger[i] = (*this)[i];
    entries_ = std::move(larger);
    capacity_ *= 2;
    first_ = 0;
  }

  static constexpr std::uint32_t first_capacity = 4;

  std::unique_ptr<HistoryEntry[]> entries_ = std::make_unique<HistoryEntry[]>(first_capacity);
  std::uint32_t capacity_ = first_capacity;  // a power of two
  std::uint32_t first_ = 0;
  std::uint32_t size_ = 0;
};

template <Model M>
struct alignas(64) LogicalProcess {
  LpState<M> state;
  History history{};
  std::uint32_t committed = 0;  ///< entries of the history that are committed and kept to coast forward from
};

}  // namespace laxity::timewarp
