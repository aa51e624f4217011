// What a reader does about a frame that the inlet of its channel cannot have written.
//
// Readers trust no length, count or index in memory that other processes can write: each is compared with what the
// reader knows itself before it is used. The values of a message cannot be checked.
// Threads: any.
// Elsewhere: lengths beyond the room of a frame, which the transports show as an empty frame (transport/transport.hpp).
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "laxity/error.hpp"

namespace laxity {

/// A received frame has a length, count or offset that no inlet of this channel writes. Its content is discarded.
class DamagedFrame : public Error {
 public:
  explicit DamagedFrame(const std::string& what)
      : Error("damaged frame: " + what +
              "; another process has overwritten the memory of the link, or the two ends differ") {}
};

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void fail_frame(const std::string& what) { throw DamagedFrame(what); }

[[noreturn, gnu::cold, gnu::noinline]] inline void fail_frame_bytes(std::size_t bytes, std::size_t expected) {
  fail_frame(std::to_string(bytes) + " bytes, expected " + std::to_string(expected));
}

/// Throws DamagedFrame unless the frame has this length.
inline void require_frame_bytes(std::span<const std::byte> frame, std::size_t expected) {
  if (frame.size() != expected) [[unlikely]]
    fail_frame_bytes(frame.size(), expected);
}

}  // namespace detail
}  // namespace laxity
