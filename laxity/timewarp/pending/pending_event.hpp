// What a pending-event set holds, in which order, and what it must do.
//
// A set holds keys apart from events: 24 bytes that say when, for whom, and where the event lies. Order: time, then
// priority, then receiver, then the rest of the key. For one receiver that is the order of keys; between receivers of
// one instant any order is right, and this one keeps the events of a logical process together.
//
// Elsewhere: the sets (bucket_queue.hpp, heap_queue.hpp, ladder_queue.hpp, ...). Canceled events stay in the set,
// marked in the event itself, and are dropped when they are reached.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "laxity/timewarp/key.hpp"

namespace laxity::timewarp {

struct PendingEvent {
  Key key;
  LpId receiver = 0;
  std::uint32_t event = 0;  ///< where it lies in its pool (event_pool.hpp)
};

/// The order of pending-event sets.
[[nodiscard]] inline bool before(const PendingEvent& a, const PendingEvent& b) noexcept {
  if (a.key.time != b.key.time) return a.key.time < b.key.time;
  if (a.key.priority() != b.key.priority()) return a.key.priority() < b.key.priority();
  if (a.receiver != b.receiver) return a.receiver < b.receiver;
  return a.key.tie < b.key.tie;
}

/// A priority queue of pending events; tests/conformance/ checks every one against a sorted vector.
///  1. top() is the first event by before(), or nullptr if there is none; the pointer is good until the next call;
///  2. pop() removes it; push() takes any key at any time, also before the top;
///  3. size() counts; one thread uses a set.
/// A set may offer upcoming(), called once after each pop: events that will probably be reached soon. It is a hint for
/// prefetching; an event may be named twice, hundreds of pops before its turn and a few.
template <class Set>
concept PendingSet = std::default_initializable<Set> && requires(Set& set, const Set& constant, const PendingEvent& x) {
  set.push(x);
  { set.top() } -> std::same_as<const PendingEvent*>;
  set.pop();
  { constant.size() } -> std::same_as<std::size_t>;
};

}  // namespace laxity::timewarp
