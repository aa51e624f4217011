// How a payload becomes the bytes of a frame, and back. Specialize Codec for types of your own.
//
// A trivially copyable type is its own encoding and is read in place; it must not hold addresses (addresses.hpp).
// Vectors, strings and spans of trivially copyable elements have variable length, up to the maximum of the channel; a
// span is read in place too.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "laxity/channel/addresses.hpp"
#include "laxity/error.hpp"

namespace laxity {

/// A message larger than the channel's frames. put() and try_put() throw it before they send or count anything.
class PayloadTooLarge : public Error {
 public:
  PayloadTooLarge(std::size_t bytes, std::size_t limit)
      : Error("put of " + std::to_string(bytes) + " bytes: the channel was made for at most " + std::to_string(limit) +
              " bytes; raise ChannelOptions::max_bytes") {}
};

/// The encoding of T. A specialization gives
///   static std::size_t bytes(const T&)                    size of the encoding
///   static void encode(const T&, std::byte* room)         writes exactly bytes(x) bytes; room is 8-byte aligned
///   static void decode(std::span<const std::byte>, T&)    reads them back; the bytes are valid until the next pull
template <class T>
struct Codec;

template <class T>
concept Payload = requires(const T& message, T& out, std::byte* room, std::span<const std::byte> bytes) {
  { Codec<T>::bytes(message) } -> std::convertible_to<std::size_t>;
  Codec<T>::encode(message, room);
  Codec<T>::decode(bytes, out);
};

/// A payload that the outlet shows in place, without a copy.
template <class T>
concept InPlacePayload = requires { requires Codec<T>::in_place; };

/// A payload of fixed size that may be copied bytewise into and out of a slot of a frame, whose slots are 8-byte
/// aligned.
template <class T>
concept FixedPayload = std::is_trivially_copyable_v<T> && alignof(T) <= 8 && detail::require_no_address<T>();

template <class T>
  requires(std::is_trivially_copyable_v<T>)
struct Codec<T> {
  static_assert(detail::require_no_address<T>());
  static constexpr bool in_place = FixedPayload<T>;
  static constexpr std::size_t fixed_bytes = sizeof(T);
  static constexpr std::size_t bytes(const T&) noexcept { return sizeof(T); }
  static void encode(const T& message, std::byte* room) noexcept { std::memcpy(room, &message, sizeof(T)); }
  static void decode(std::span<const std::byte> bytes, T& out) noexcept { std::memcpy(&out, bytes.data(), sizeof(T)); }
};

/// A span is read in place: the one that get() returns points into the frame and is valid until the next pull.
template <FixedPayload U>
struct Codec<std::span<const U>> {
  static std::size_t bytes(std::span<const U> message) noexcept { return message.size_bytes(); }
  static void encode(std::span<const U> message, std::byte* room) noexcept {
    if (!message.empty()) std::memcpy(room, message.data(), message.size_bytes());
  }
  static void decode(std::span<const std::byte> bytes, std::span<const U>& out) noexcept {
    out = {reinterpret_cast<const U*>(bytes.data()), bytes.size() / sizeof(U)};
  }
};

template <class U>
  requires(std::is_trivially_copyable_v<U>)
struct Codec<std::vector<U>> {
  static_assert(detail::require_no_address<U>());
  static std::size_t bytes(const std::vector<U>& message) noexcept { return message.size() * sizeof(U); }
  static void encode(const std::vector<U>& message, std::byte* room) noexcept {
    if (!message.empty()) std::memcpy(room, message.data(), bytes(message));
  }
  static void decode(std::span<const std::byte> bytes, std::vector<U>& out) {
    out.resize(bytes.size() / sizeof(U));
    if (!out.empty()) std::memcpy(out.data(), bytes.data(), out.size() * sizeof(U));
  }
};

template <>
struct Codec<std::string> {
  static std::size_t bytes(const std::string& message) noexcept { return message.size(); }
  static void encode(const std::string& message, std::byte* room) noexcept {
    if (!message.empty()) std::memcpy(room, message.data(), message.size());
  }
  static void decode(std::span<const std::byte> bytes, std::string& out) {
    out.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
};

}  // namespace laxity
