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

/// The hash that one committed event adds to the digest of a run.
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
