// The history of logical processes: what is needed to roll back a processed event, until it is irrevocable.
//
// A processed event has an entry in the history of its logical process. The entry can restore the state before the
// event (state_saving.hpp) and lists the events that it sent. The event record itself holds none of this, since most
// records are of pending events. An event that was sent to another worker is represented by a stub; the number of the
// stub is the handle by which the receiving worker finds its copy when the event is canceled.
//
// Invariants: the entries of a history are in the order of keys; committed ones come first, and stay only as long as a
// later one needs them to coast forward; the state before the oldest can be restored on its own; a stub lives as long
// as its sending event may be rolled back. Threads: all of one worker. Elsewhere: adding entries
// (optimistic_worker.hpp), rollback (rollback.hpp), fossil collection (fossil_collection.hpp).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "laxity/timewarp/event.hpp"
#include "laxity/timewarp/exchange/shared_event.hpp"
#include "laxity/timewarp/key.hpp"
#include "laxity/timewarp/model.hpp"
#include "laxity/timewarp/state/state_saving.hpp"

namespace laxity::timewarp {

enum class EventStatus : std::uint32_t {
  pending,    ///< in the pending-event set
  processed,  ///< in a history
  canceled,   ///< its sender was rolled back; freed when it leaves the pending-event set or the history
};

/// An event record of the optimistic engine. Its `bits` hold the status (2 bits), whether the event ends the run,
/// whether the payload is shared and the record holds only its address, and the origin.
template <Model M>
struct HistoryRecord : EventRecord<M> {
  static constexpr std::uint32_t local_origin = 0;
  /// The origin of events received in this channel.
  [[nodiscard]] static constexpr std::uint32_t origin_of(std::size_t channel) noexcept {
    return static_cast<std::uint32_t>(channel) + 1;
  }

  /// Makes this the record of a new pending event.
  void begin(std::uint32_t origin) noexcept { this->bits = origin << 4; }

  void refer_to(SharedEvent<typename M::Event>& event) noexcept {
    this->bits |= shared;
    put_address(this->payload, &event);
  }
  [[nodiscard]] bool is_shared() const noexcept { return (this->bits & shared) != 0; }
  [[nodiscard]] SharedEvent<typename M::Event>& shared_event() const noexcept { return shared_event_at(this->payload); }

  [[nodiscard]] EventView<M> view() const noexcept {
    return {this->key, this->receiver, is_shared() ? shared_event().payload() : this->payload};
  }

  [[nodiscard]] bool is(EventStatus status) const noexcept {
    return (this->bits & 3U) == static_cast<std::uint32_t>(status);
  }
  void set_status(EventStatus status) noexcept { this->bits = (this->bits & ~3U) | static_cast<std::uint32_t>(status); }

  void set_end() noexcept { this->bits |= ends; }
  /// Clears the mark of set_end(); returns whether it was set.
  [[nodiscard]] bool clear_end() noexcept {
    const bool was_set = (this->bits & ends) != 0;
    this->bits &= ~ends;
    return was_set;
  }

  [[nodiscard]] bool is_remote() const noexcept { return this->bits >> 4 != local_origin; }
  [[nodiscard]] std::size_t channel() const noexcept { return (this->bits >> 4) - 1; }

 private:
  static constexpr std::uint32_t ends = 4;
  static constexpr std::uint32_t shared = 8;
};

/// The sender's record of an event that it sent to another worker. The number of the stub is the event's handle.
struct Stub {
  Key key;
  LpId receiver;
  std::uint32_t to;  ///< the receiving worker
  EventId next;      ///< the stub of another event with the same sender
};

/// Everything that is needed to commit, free or roll back a processed event without reading its record. Aligned to
/// cache lines; an entry with a small state takes one.
template <Model M>
struct alignas(64) HistoryEntry {
  Key key;
  EventId event;
  EventId remote_sends = no_event;     ///< list of the stubs of the events that it sent to other workers
  EventId local_sends = no_event;      ///< the last event that it sent to a process of this worker;
  std::uint32_t local_send_count = 0;  ///< each is linked to the one before (LocalEvents::link)
  typename StateSaver<M>::Saved saved{};
};

/// The processed events of one logical process, oldest first: a ring buffer that grows.
template <Model M>
class History {
 public:
  using Entry = HistoryEntry<M>;

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] Entry& operator[](std::uint32_t i) noexcept { return entries_[(first_ + i) & (capacity_ - 1)]; }
  [[nodiscard]] Entry& back() noexcept { return (*this)[size_ - 1]; }
  /// The place of the next entry; for prefetching.
  [[nodiscard]] const Entry* end() const noexcept { return entries_.get() + ((first_ + size_) & (capacity_ - 1)); }

  [[nodiscard]] const Entry* oldest() const noexcept { return entries_.get() + (first_ & (capacity_ - 1)); }

  /// Appends an entry without sent events and without a saved state. `allocated`: the number of entries that the worker
  /// has room for in all its histories.
  Entry& push_back(const Key& key, EventId event, std::size_t& allocated) {
    if (size_ == capacity_) [[unlikely]]
      resize(2 * capacity_, allocated);
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

  /// Whether the next push_back() allocates room for as many entries again.
  [[nodiscard]] bool is_full() const noexcept { return size_ == capacity_; }
  /// Frees room that is not in use, if that is most of it.
  void shrink(std::size_t& allocated) {
    const std::uint32_t needed = std::max(first_capacity, std::bit_ceil(size_));
    if (needed <= capacity_ / 4) resize(needed, allocated);
  }

  static constexpr std::uint32_t first_capacity = 2;

 private:
  [[gnu::noinline]] void resize(std::uint32_t capacity, std::size_t& allocated) {
    auto entries = std::make_unique<Entry[]>(capacity);
    for (std::uint32_t i = 0; i < size_; ++i) entries[i] = (*this)[i];
    entries_ = std::move(entries);
    allocated = allocated - capacity_ + capacity;
    capacity_ = capacity;
    first_ = 0;
  }

  std::unique_ptr<Entry[]> entries_ = std::make_unique<Entry[]>(first_capacity);
  std::uint32_t capacity_ = first_capacity;  // a power of two
  std::uint32_t first_ = 0;
  std::uint32_t size_ = 0;
};

template <Model M>
struct alignas(64) LogicalProcess {
  LpState<M> state;
  History<M> history{};
  std::uint32_t committed = 0;  ///< committed entries that are kept to coast forward from
};

}  // namespace laxity::timewarp
