// The record of an event in memory, and the state of a logical process that handling it may change.
//
// Threads: records belong to one worker. Elsewhere: the history that the optimistic engine keeps (history.hpp).
#pragma once

#include <cstdint>

#include "laxity/random.hpp"
#include "laxity/timewarp/key.hpp"

namespace laxity::timewarp {

/// The number of a record in its pool.
using EventId = std::uint32_t;
inline constexpr EventId no_event = ~EventId{0};

/// A reference to an event, whether its payload lies in the record or is shared.
template <class M>
struct EventView {
  Key key;
  LpId receiver;
  const typename M::Event& payload;
};

template <class M>
struct EventRecord {
  Key key;
  LpId receiver;
  std::uint32_t bits;  ///< for the engine
  typename M::Event payload;

  [[nodiscard]] EventView<M> view() const noexcept { return {key, receiver, payload}; }
};

/// The part of a logical process that an event may change and a rollback restores.
template <class M>
struct LpState {
  typename M::State model{};
  SeededRandom random{0};
  std::uint64_t sent = 0;  ///< number of events sent: the sequence of the next one
};

/// The random numbers with which process `lp` starts. Sets only them, because a state may be too large for the stack.
[[nodiscard]] inline SeededRandom first_random(std::uint64_t seed, LpId lp) noexcept {
  SeededRandom mixed(seed + 0x9e3779b97f4a7c15U * (std::uint64_t{lp} + 1));
  return SeededRandom(mixed.bits());
}

}  // namespace laxity::timewarp
