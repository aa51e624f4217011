// An event between two threads that is not copied: it lies in memory of its sender, and its receiver uses it there.
//
// Two counts, one a side: how often the record was loaned, and how often it was given back. Each is written by its side
// alone, so none needs a read-modify-write operation; the record is its owner's again when both are equal. Reclaiming has
// two phases: the receiver gives back when its own record of the event goes, the sender finds that out when it looks.
//
// Source: D. M. Rao, Performance comparison of Cross Memory Attach capable MPI vs. multithreaded optimistic parallel
// simulations (SIGSIM-PADS 2018), 4.2. There the sender's count says who at its side refers to the event still. Here
// nobody does: an anti-message needs the key and the handle, which the sender's stub has, so the sender lets go as it sends.
//
// Invariants: between loan() and release() nobody writes the payload; what is lent is given back at most once.
// Threads: loan() and is_released() are the sender's; what comes between is one receiver's, which has heard of the event by
// something that synchronizes: an exchange. Elsewhere: all that a worker has lent (loaned_events.hpp), the same under an
// interleaving checker (tests/interleaving).
#pragma once

#include <cstdint>
#include <cstring>

#include "laxity/check.hpp"
#include "laxity/transport/atomics_policy.hpp"

namespace laxity::timewarp {

/// Zeroed memory is one that is back.
template <class Event, class Atomics>
class BasicSharedEvent {
 public:
  /// Of one that is back; copies the event. Call before the receiver can hear of it.
  void loan(const Event& event) noexcept {
    payload_ = event;
    loaned_.set(loaned_.get() + 1);
  }
  [[nodiscard]] bool is_released() const noexcept { return released_.load(see_release) == loaned_.get(); }

  [[nodiscard]] const Event& payload() const noexcept { return payload_; }
  /// The payload must not be used any more.
  void release() noexcept { released_.store(loaned_.get(), publish_release); }

 private:
  static constexpr Site publish_release{1, std::memory_order_release};  // the payload was read; pairs with the next
  static constexpr Site see_release{2, std::memory_order_acquire};

  Event payload_{};
  typename Atomics::template Plain<std::uint32_t> loaned_{0};
  typename Atomics::template Atomic<std::uint32_t> released_{0};
};

template <class Event>
using SharedEvent = BasicSharedEvent<Event, StdAtomics>;

/// A message or a record has the address of a shared event in the place of the payload, so a smaller payload is no gain.
template <class Event>
inline constexpr bool is_shareable = sizeof(Event) >= sizeof(void*);

template <class Event>
void put_address(Event& place, SharedEvent<Event>* event) noexcept {
  if constexpr (is_shareable<Event>) std::memcpy(static_cast<void*>(&place), &event, sizeof(void*));
}

/// What was put there.
template <class Event>
[[nodiscard]] SharedEvent<Event>& shared_event_at(const Event& place) noexcept {
  SharedEvent<Event>* event = nullptr;
  if constexpr (is_shareable<Event>) std::memcpy(&event, &place, sizeof(void*));
  LAXITY_DCHECK(event != nullptr);
  return *event;
}

}  // namespace laxity::timewarp
