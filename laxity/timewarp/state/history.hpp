// What the optimistic engine remembers of an event until it is final, so that it can be taken back.
//
// A processed event has an entry in the history of its logical process, which knows how to bring back the state it found
// (state_saving.hpp) and what it sent: a record is the event and no more, since most records are of events that wait. An
// event sent to another worker is represented here by a stub: its number is the handle by which the other side finds its
// copy when the event is canceled.
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
#include "laxity/timewarp/exchange/shared_event.hpp"
#include "laxity/timewarp/state/state_saving.hpp"

namespace laxity::timewarp {

/// Where an event stands; EventRecord::mark.
enum class Mark : std::uint32_t {
  pending,    ///< in the pending-event set
  processed,  ///< in a history
  canceled,   ///< taken back by its sender; dropped when it is reached in the set or undone in the history
};

/// Its mark holds where it stands (2 bits), whether it ends the run, whether its payload is shared, so that only the address
/// lies here, and who sent it: 0 for this worker, else the channel that it came by and 1.
template <Model M>
struct HistoryRecord : EventRecord<M> {
  static constexpr std::uint32_t local_origin = 0;
  [[nodiscard]] static constexpr std::uint32_t origin_of(std::size_t channel) noexcept {
    return static_cast<std::uint32_t>(channel) + 1;
  }

  /// A new event, which waits.
  void begin(std::uint32_t origin) noexcept { this->mark = origin << 4; }

  void refer_to(SharedEvent<typename M::Event>& event) noexcept {
    this->mark |= shared;
    put_address(this->payload, &event);
  }
  [[nodiscard]] bool is_shared() const noexcept { return (this->mark & shared) != 0; }
  [[nodiscard]] SharedEvent<typename M::Event>& shared_event() const noexcept { return shared_event_at(this->payload); }

  [[nodiscard]] EventView<M> view() const noexcept {
    return {this->key, this->receiver, is_shared() ? shared_event().payload() : this->payload};
  }

  [[nodiscard]] bool is(Mark now) const noexcept { return (this->mark & 3U) == static_cast<std::uint32_t>(now); }
  void set_mark(Mark now) noexcept { this->mark = (this->mark & ~3U) | static_cast<std::uint32_t>(now); }

  void set_end() noexcept { this->mark |= ends; }
  /// Whether it was set; it is no more.
  [[nodiscard]] bool clear_end() noexcept {
    const bool was_set = (this->mark & ends) != 0;
    this->mark &= ~ends;
    return was_set;
  }

  [[nodiscard]] bool is_remote() const noexcept { return this->mark >> 4 != local_origin; }
  [[nodiscard]] std::size_t channel() const noexcept { return (this->mark >> 4) - 1; }

 private:
  static constexpr std::uint32_t ends = 4;
  static constexpr std::uint32_t shared = 8;
};

/// What stays here of an event that was sent to another worker; its number is the handle.
struct Stub {
  Key key;
  LpId receiver;
  std::uint32_t to;  ///< the worker that has the event
  EventId next;      ///< the stub of the next that the same event sent
};

/// All that is needed to commit and free a processed event, so that its record is not touched for that, and to take it
/// back. On lines of its own: with small states on one.
template <Model M>
struct alignas(64) HistoryEntry {
  Key key;
  EventId event;
  EventId remote_sends = no_event;     ///< the first of the stubs of the events that it sent to other workers
  EventId local_sends = no_event;      ///< the last of the events that it sent to processes of this worker,
  std::uint32_t local_send_count = 0;  ///< and how many these are; each knows the one before (LocalEvents::link)
  typename StateSaver<M>::Saved saved{};
};

/// The processed events of one logical process, oldest first: a ring that grows.
template <Model M>
class History {
 public:
  using Entry = HistoryEntry<M>;

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] Entry& operator[](std::uint32_t i) noexcept { return entries_[(first_ + i) & (capacity_ - 1)]; }
  [[nodiscard]] Entry& back() noexcept { return (*this)[size_ - 1]; }
  /// Where the next entry goes; for prefetching.
  [[nodiscard]] const Entry* end() const noexcept { return entries_.get() + ((first_ + size_) & (capacity_ - 1)); }

  [[nodiscard]] const Entry* oldest() const noexcept { return entries_.get() + (first_ & (capacity_ - 1)); }

  /// An entry without what it sent and without a state.
  Entry& push_back(const Key& key, EventId event) {
    if (size_ == capacity_) [[unlikely]]
      grow();
    Entry& entry = (*this)[size_++];
    entry.key = key;
    entry.event = event;
    entry.remote_sends = entry.local_sends = no_event;
    entry.local_send_count = 0;
    return entry;
  }
  void pop_back() noexcept { --size_; }
  void pop_front() noexcept {
    ++first_;
    --size_;
  }

 private:
  [[gnu::noinline]] void grow() {
    auto larger = std::make_unique<Entry[]>(std::size_t{2} * capacity_);
    for (std::uint32_t i = 0; i < size_; ++i) larger[i] = (*this)[i];
    entries_ = std::move(larger);
    capacity_ *= 2;
    first_ = 0;
  }

  static constexpr std::uint32_t first_capacity = 2;

  std::unique_ptr<Entry[]> entries_ = std::make_unique<Entry[]>(first_capacity);
  std::uint32_t capacity_ = first_capacity;  // a power of two
  std::uint32_t first_ = 0;
  std::uint32_t size_ = 0;
};

template <Model M>
struct alignas(64) LogicalProcess {
  LpState<M> state;
  History<M> history{};
  std::uint32_t committed = 0;  ///< entries of the history that are committed and kept to coast forward from
};

}  // namespace laxity::timewarp
