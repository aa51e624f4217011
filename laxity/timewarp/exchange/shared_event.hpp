// An event between two threads that is not copied: it lies in memory of its sender, and its receiver uses it there.
//
// Two counts, one a side: how often the record was lent, and how often it was given back. Each is written by its side
// alone, so none needs a read-modify-write operation; the record is its owner's again when both are equal. Reclaiming has
// two phases: the receiver gives back when its own record of the event goes, the sender finds that out when it looks.
//
// Source: D. M. Rao, Performance comparison of Cross Memory Attach capable MPI vs. multithreaded optimistic parallel
// simulations (SIGSIM-PADS 2018), 4.2. There the sender's count says who at its side refers to the event still. Here
// nobody does: an anti-message needs the key and the handle, which the sender's stub has, so the sender lets go as it sends.
//
// Invariants: between lend() and give_back() nobody writes the payload; what is lent is given back at most once.
// Threads: lend() and is_back() are the sender's; what comes between is one receiver's, which has heard of the event by
// something that synchronizes: an exchange. Elsewhere: all that a worker has lent (lent_events.hpp), the same under an
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
  void lend(const Event& event) noexcept {
    payload_ = event;
    lent_.set(lent_.get() + 1);
  }
  [[nodiscard]] bool is_back() const noexcept { return given_back_.load(see_given_back) == lent_.get(); }

  [[nodiscard]] const Event& payload() const noexcept { return payload_; }
  /// The payload must not be used any more.
  void give_back() noexcept { given_back_.store(lent_.get(), publish_given_back); }

 private:
  static constexpr Site publish_given_back{1, std::memory_order_release};  // the payload was read; pairs with the next
  static constexpr Site see_given_back{2, std::memory_order_acquire};

  Event payload_{};
  typename Atomics::template Plain<std::uint32_t> lent_{0};
  typename Atomics::template Atomic<std::uint32_t> given_back_{0};
};

template <class Event>
using SharedEvent = BasicSharedEvent<Event, StdAtomics>;

/// A message or a record has the address of a shared event in the place of the payload, so a smaller payload is no gain.
template <class Event>
inline constexpr bool can_be_shared = sizeof(Event) >= sizeof(void*);

template <class Event>
void put_address(Event& place, SharedEvent<Event>* event) noexcept {
  if constexpr (can_be_shared<Event>) std::memcpy(static_cast<void*>(&place), &event, sizeof(void*));
}

/// What was put there.
template <class Event>
[[nodiscard]] SharedEvent<Event>& shared_event_at(const Event& place) noexcept {
  SharedEvent<Event>* event = nullptr;
  if constexpr (can_be_shared<Event>) std::memcpy(&event, &place, sizeof(void*));
  LAXITY_DCHECK(event != nullptr);
  return *event;
}

}  // namespace laxity::timewarp
