// How a payload becomes the bytes of a frame, and back. Specialize Codec for types of your own.
//
// A trivially copyable type is its own encoding and is read in place. Vectors, strings and spans of trivially copyable
// elements have variable length, up to the channel's stated maximum; a span is read in place too.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "laxity/error.hpp"

namespace laxity {

/// A message larger than the channel's frames. Thrown by put and try_put; nothing was sent and nothing was counted.
class PayloadTooLarge : public Error {
 public:
  PayloadTooLarge(std::size_t bytes, std::size_t limit)
      : Error("put of " + std::to_string(bytes) + " bytes: the channel was made for at most " + std::to_string(limit) +
              " bytes; raise ChannelOptions::max_bytes") {}
};

/// The encoding of T. A specialization gives
///   static std::size_t bytes(const T&)                         size of the encoding
///   static void encode(const T&, std::byte* room)              writes exactly bytes(x) bytes; room is 8-byte aligned
///   static void decode(std::span<const std::byte>, T&)         reads them back; the bytes stay valid until the next
///   pull
template <class T>
struct Codec;

template <class T>
concept Payload = requires(const T& message, T& out, std::byte* room, std::span<const std::byte> bytes) {
  { Codec<T>::bytes(message) } -> std::convertible_to<std::size_t>;
  Codec<T>::encode(message, room);
  Codec<T>::decode(bytes, out);
};

/// Payloads that the outlet shows where they lie, without a copy.
template <class T>
concept InPlacePayload = requires { requires Codec<T>::in_place; };

template <class T>
  requires(std::is_trivially_copyable_v<T>)
struct Codec<T> {
  static constexpr bool in_place = alignof(T) <= 8;
  static constexpr std::size_t fixed_bytes = sizeof(T);
  static constexpr std::size_t bytes(const T&) noexcept { return sizeof(T); }
  static void encode(const T& message, std::byte* room) noexcept { std::memcpy(room, &message, sizeof(T)); }
  static void decode(std::span<const std::byte> bytes, T& out) noexcept { std::memcpy(&out, bytes.data(), sizeof(T)); }
};

/// Read in place: the span that get() gives points into the frame and is valid until the next pull.
template <class U>
  requires(std::is_trivially_copyable_v<U> && alignof(U) <= 8)
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
