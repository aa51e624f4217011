// Frames with verifiable content: a number, and a pattern that is computed from it and fills the frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "laxity/random.hpp"
#include "laxity/transport/transport.hpp"

namespace laxity::conformance {

/// Payload size of frame `number`: every size from that of the number itself to the capacity occurs.
inline std::size_t size_of_letter(std::uint64_t number, std::size_t capacity) {
  return sizeof number + SeededRandom(number).below(static_cast<std::uint32_t>(capacity - sizeof number + 1));
}

inline std::size_t write_letter(std::byte* room, std::uint64_t number, std::size_t capacity) {
  const std::size_t bytes = size_of_letter(number, capacity);
  std::memcpy(room, &number, sizeof number);
  for (std::size_t at = sizeof number; at < bytes; ++at) room[at] = static_cast<std::byte>(number * 31 + at);
  return bytes;
}

/// The number of a frame; empty if any byte or the size does not match that number.
inline std::optional<std::uint64_t> read_letter(std::span<const std::byte> frame, std::size_t capacity) {
  std::uint64_t number = 0;
  if (frame.size() < sizeof number) return {};
  std::memcpy(&number, frame.data(), sizeof number);
  if (frame.size() != size_of_letter(number, capacity)) return {};
  for (std::size_t at = sizeof number; at < frame.size(); ++at) {
    if (frame[at] != static_cast<std::byte>(number * 31 + at)) return {};
  }
  return number;
}

/// Publishes the frame; false if it was refused.
template <Sender S>
bool send_letter(S& sender, std::uint64_t number) {
  std::byte* room = sender.try_claim();
  if (room == nullptr) return false;
  sender.publish(write_letter(room, number, sender.frame_capacity()));
  return true;
}

}  // namespace laxity::conformance
