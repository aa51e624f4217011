// The record of an event in memory, and the state of a logical process that handling it may change.
//
// Threads: records belong to one worker. Elsewhere: the history that the optimistic engine keeps (history.hpp).
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "laxity/random.hpp"
#include "laxity/random_stream.hpp"
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

namespace detail {

template <class M>
struct RandomOf {
  using Type = RandomStream;
};
template <class M>
  requires requires { typename M::Random; }
struct RandomOf<M> {
  using Type = typename M::Random;
};

template <class M>
consteval std::size_t random_streams_of() {
  if constexpr (requires { M::random_streams; }) {
    return M::random_streams;
  } else {
    return 1;
  }
}

}  // namespace detail

/// The generator of a model's random numbers: M::Random, by default RandomStream.
template <class M>
using RandomOf = typename detail::RandomOf<M>::Type;

/// The random numbers of a logical process: M::random_streams generators, by default one.
template <class M>
using RandomsOf = std::array<RandomOf<M>, detail::random_streams_of<M>()>;

/// The part of a logical process that an event may change and a rollback restores.
template <class M>
struct LpState {
  typename M::State model{};
  RandomsOf<M> random{};
  std::uint64_t sent = 0;  ///< number of events sent: the sequence of the next one
};

/// The random numbers with which process `lp` starts. Sets only them, because a state may be too large for the stack.
template <class M>
[[nodiscard]] RandomsOf<M> first_random(std::uint64_t seed, LpId lp) noexcept {
  RandomsOf<M> first;
  if constexpr (std::constructible_from<RandomOf<M>, std::uint64_t, std::uint32_t, std::uint32_t>) {
    for (std::uint32_t stream = 0; stream < first.size(); ++stream) first[stream] = RandomOf<M>(seed, lp, stream);
  } else {
    static_assert(first.size() == 1, "several random streams of a process need a generator that has streams");
    SeededRandom mixed(seed + 0x9e3779b97f4a7c15U * (std::uint64_t{lp} + 1));
    first[0] = RandomOf<M>(mixed.bits());
  }
  return first;
}

}  // namespace laxity::timewarp
