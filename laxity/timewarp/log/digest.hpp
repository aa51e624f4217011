// The digest of a run: a hash of its committed events. Two runs with equal digests have committed the same events.
//
// Every committed event adds a hash of (time, tie, receiver, payload, state after it). The digest is the sum, so that
// it does not depend on the order in which workers commit. Payloads and states are hashed by their bytes; padding is
// excluded where the compiler supports it (GCC 11 and later). A model may replace these hashes by its members
// `std::uint64_t digest(const Event&) const` and `digest(const State&) const`; with other compilers it must for types
// with padding.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "laxity/timewarp/context.hpp"
#include "laxity/timewarp/event.hpp"
#include "laxity/timewarp/model.hpp"

namespace laxity::timewarp {

namespace detail {

[[nodiscard]] inline std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) noexcept {
  hash = (hash ^ word) * 0xff51afd7ed558ccdU;
  return hash ^ (hash >> 32);
}

template <class T>
[[nodiscard]] std::uint64_t mixed_without_padding(std::uint64_t hash, T& value) noexcept {
#if defined(__has_builtin) && __has_builtin(__builtin_clear_padding)
  __builtin_clear_padding(&value);
#endif
  const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
  for (std::size_t first = 0; first < sizeof(T); first += sizeof hash) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + first, std::min(sizeof word, sizeof(T) - first));
    hash = mixed(hash, word);
  }
  return hash;
}

template <class T>
[[nodiscard]] std::uint64_t mixed_bytes(std::uint64_t hash, const T& value) {
  if constexpr (sizeof(T) > 16384) {  // may be too large for the stack
    return mixed_without_padding(hash, *std::make_unique<T>(value));
  } else {
    T copy = value;
    return mixed_without_padding(hash, copy);
  }
}

template <class M, class T>
[[nodiscard]] std::uint64_t mixed_value(const M& model, std::uint64_t hash, const T& value) {
  if constexpr (requires { model.digest(value); }) {
    return mixed(hash, model.digest(value));
  } else {
    return mixed_bytes(hash, value);
  }
}

/// The hash of the state that init() or a handler has left, and of the events that it has sent.
template <Model M>
[[nodiscard]] std::uint64_t outcome_digest(const M& model, const Context<M>& context, const LpState<M>& state) {
  std::uint64_t hash = mixed_bytes(mixed_value(model, state.sent, state.model), state.random);
  for (const auto& sent : context.sent()) {
    hash = mixed(mixed(mixed(hash, sent.key.time), sent.key.tie), sent.receiver);
    hash = mixed_value(model, hash, sent.event);
  }
  return hash;
}

}  // namespace detail

/// The hash that one committed event adds to the digest of a run.
template <Model M>
[[nodiscard]] std::uint64_t digest_of(const M& model, const EventView<M>& event, const LpState<M>& after) {
  std::uint64_t hash = detail::mixed(0x9e3779b97f4a7c15U, event.key.time);
  hash = detail::mixed(hash, event.key.tie);
  hash = detail::mixed(hash, event.receiver);
  hash = detail::mixed_value(model, hash, event.payload);
  hash = detail::mixed_value(model, hash, after.model);
  hash = detail::mixed(hash, after.sent);
  return detail::mixed_bytes(hash, after.random);
}

}  // namespace laxity::timewarp
