// A shared event: it lies in memory of the sending thread, on loan to the receiving thread, which reads it there.
//
// Two counters record how often the event was loaned and how often it was released. Each is written by one thread
// alone, so that no read-modify-write operation is needed. The sender owns the event again when both are equal. The
// receiver releases the event with its own record of it; the sender finds out by polling.
//
// Source: D. M. Rao, Performance comparison of Cross Memory Attach capable MPI vs. multithreaded optimistic parallel
// simulations (SIGSIM-PADS 2018), 4.2. There the sender's counter also counts references of the sender. Here the sender
// keeps none: an anti-message needs only the key and the handle, which the sender's stub has.
//
// Invariants: nobody writes the payload between loan() and release(); a loaned event is released at most once.
// Threads: loan() and is_released() belong to the sender; payload() and release() to one receiver, which has received
// the event through an exchange and is therefore synchronized with loan(). Elsewhere: the events on loan from one
// worker (loaned_events.hpp), the test under an interleaving checker (tests/interleaving).
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

#include "laxity/check.hpp"
#include "laxity/transport/atomics_policy.hpp"

namespace laxity::timewarp {

/// Zeroed memory is a released event.
template <class Event, class Atomics>
class BasicSharedEvent {
 public:
  /// Copies `event` into this, which must be released. Call before the receiver can receive it.
  void loan(const Event& event) noexcept {
    payload_ = event;
    loans_.set(loans_.get() + 1);
  }
  [[nodiscard]] bool is_released() const noexcept { return releases_.load(see_release) == loans_.get(); }

  [[nodiscard]] const Event& payload() const noexcept { return payload_; }
  /// Ends the loan. The receiver must not read the payload afterwards.
  void release() noexcept { releases_.store(loans_.get(), publish_release); }

 private:
  static constexpr AtomicSite publish_release{
      1, std::memory_order_release};  // after the last read; pairs with see_release
  static constexpr AtomicSite see_release{2, std::memory_order_acquire};

  Event payload_{};
  typename Atomics::template Plain<std::uint32_t> loans_{0};
  typename Atomics::template Atomic<std::uint32_t> releases_{0};
};

template <class Event>
using SharedEvent = BasicSharedEvent<Event, StdAtomics>;

/// Whether events can be shared: a message or a record then holds the address of the event in the place of its payload.
template <class Event>
inline constexpr bool is_shareable = sizeof(Event) >= sizeof(void*);

/// Stores the address of the event in the place of a payload.
template <class Event>
void put_address(Event& place, SharedEvent<Event>* event) noexcept {
  if constexpr (is_shareable<Event>) std::memcpy(static_cast<void*>(&place), &event, sizeof(void*));
}

/// The event whose address put_address() has stored there.
template <class Event>
[[nodiscard]] SharedEvent<Event>& shared_event_at(const Event& place) noexcept {
  SharedEvent<Event>* event = nullptr;
  if constexpr (is_shareable<Event>) std::memcpy(&event, &place, sizeof(void*));
  LAXITY_DCHECK(event != nullptr);
  return *event;
}

}  // namespace laxity::timewarp
