// The elements and the order of pending-event sets, and the concept that every set satisfies.
//
// A set holds keys and no event records: 24 bytes with the key, the receiver and the number of the record. Order: time,
// then priority, then receiver, then the rest of the key. For one receiver this is the order of keys. Between receivers
// of one instant any order is correct; this one keeps the events of a logical process together.
//
// Threads: a set belongs to one worker. Elsewhere: the default set (bucket_queue.hpp), a heap (heap_queue.hpp), sets
// for comparison only (comparison/), canceled events, which stay in the set (local_events.hpp).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "laxity/timewarp/key.hpp"

namespace laxity::timewarp {

struct PendingEvent {
  Key key;
  LpId receiver = 0;
  std::uint32_t event = 0;  ///< the number of its record (event_pool.hpp)
};

/// The order of pending-event sets.
[[nodiscard]] inline bool before(const PendingEvent& a, const PendingEvent& b) noexcept {
  if (a.key.time != b.key.time) return a.key.time < b.key.time;
  if (a.key.priority() != b.key.priority()) return a.key.priority() < b.key.priority();
  if (a.receiver != b.receiver) return a.receiver < b.receiver;
  return a.key.tie < b.key.tie;
}

/// A priority queue of pending events; tests/conformance/ checks every one against a sorted vector.
///  1. top() is the first event by before(), or nullptr if there is none; the pointer is valid until the next call;
///  2. pop() removes the first event; push() accepts any key at any time, also before the first;
///  3. size() is the number of events;
///  4. an empty set can be copied: every worker of a run starts with a copy of one.
/// A set may have upcoming(), which is called once after each pop and returns events that are likely to be popped soon.
/// It is a hint for prefetching: an event may be returned twice, several hundred pops and a few pops before its own.
template <class Set>
concept PendingSet = std::default_initializable<Set> && std::copy_constructible<Set> &&
                     requires(Set& set, const Set& constant, const PendingEvent& x) {
                       set.push(x);
                       { set.top() } -> std::same_as<const PendingEvent*>;
                       set.pop();
                       { constant.size() } -> std::same_as<std::size_t>;
                     };

}  // namespace laxity::timewarp
