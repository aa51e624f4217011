// A number that says what a run committed: two runs with equal digests committed the same events.
//
// Every committed event adds a hash of (time, tie, receiver, payload, state after it); addition makes the sum independent
// of the order in which workers commit. A payload or state is hashed by its bytes without padding, where the compiler can
// tell (GCC 11 and later); elsewhere a type with padding needs a hash of its own, a member
// `std::uint64_t digest(const Event&) const` or `digest(const State&)` of the model, which any model may have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "laxity/timewarp/event.hpp"
#include "laxity/timewarp/model.hpp"

namespace laxity::timewarp {

namespace detail {

[[nodiscard]] inline std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) noexcept {
  hash = (hash ^ word) * 0xff51afd7ed558ccdU;
  return hash ^ (hash >> 32);
}

template <class T>
[[nodiscard]] std::uint64_t mixed_bytes(std::uint64_t hash, const T& value) noexcept {
  T copy = value;
#if defined(__has_builtin) && __has_builtin(__builtin_clear_padding)
  __builtin_clear_padding(&copy);
#endif
  std::uint64_t words[(sizeof(T) + 7) / 8] = {};
  std::memcpy(words, &copy, sizeof(T));
  for (const std::uint64_t word : words) hash = mixed(hash, word);
  return hash;
}

template <class M, class T>
[[nodiscard]] std::uint64_t mixed_value(const M& model, std::uint64_t hash, const T& value) noexcept {
  if constexpr (requires { model.digest(value); }) {
    return mixed(hash, model.digest(value));
  } else {
    return mixed_bytes(hash, value);
  }
}

}  // namespace detail

/// What one committed event adds to a run's digest.
template <Model M>
[[nodiscard]] std::uint64_t digest_of(const M& model, const EventView<M>& event, const LpState<M>& after) noexcept {
  std::uint64_t hash = detail::mixed(0x9e3779b97f4a7c15U, event.key.time);
  hash = detail::mixed(hash, event.key.tie);
  hash = detail::mixed(hash, event.receiver);
  hash = detail::mixed_value(model, hash, event.payload);
  hash = detail::mixed_value(model, hash, after.model);
  hash = detail::mixed(hash, after.sent);
  return detail::mixed_bytes(hash, after.random);
}

}  // namespace laxity::timewarp
