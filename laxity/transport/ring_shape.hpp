// The shape of a ring, and the layout over cache lines that all rings share.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "laxity/error.hpp"

namespace laxity {

/// The size of a ring. Both ends of one ring agree on it because it is stored in the ring's memory.
struct RingShape {
  std::size_t depth;           ///< number of frames that fit beyond the one shown; from 128 on up to 2 % more may fit
  std::size_t frame_capacity;  ///< maximum payload of a frame, bytes
  bool operator==(const RingShape&) const = default;
};

namespace detail {

inline constexpr std::size_t cache_line = 64;

constexpr std::size_t round_up(std::size_t bytes, std::size_t alignment) noexcept {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// Prefetches a line into this core's cache for writing. (The compiler's builtin requests a shared copy unless the
/// target is known to have prefetchw; x86-64 processors without that instruction execute it as a no-op.)
inline void prefetch_for_writing(const std::byte* place) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*place));
#else
  __builtin_prefetch(place, 1);
#endif
}

/// Prefetches a line into this core's cache for reading. (GCC 12 treats a function that only uses the builtin as one
/// without effect, and removes calls of it.)
inline void prefetch_for_reading(const std::byte* place) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetcht0 %0" : : "m"(*place));
#else
  __builtin_prefetch(place, 0);
#endif
}

/// Calls prefetch(line) for each cache line that begins within [place, place + bytes), so that adjacent slots share
/// none.
template <class Prefetch>
void for_each_line_in(const std::byte* place, std::size_t bytes, Prefetch prefetch) noexcept {
  const std::size_t to_first = -reinterpret_cast<std::uintptr_t>(place) % cache_line;
  for (std::size_t offset = to_first; offset < bytes; offset += cache_line) prefetch(place + offset);
}

/// Throws UsageError unless 1 <= depth <= 2^20 - 2 and frame_capacity < 2^30. The depth limit keeps frame numbers
/// within 20 bits (overwriting_ring.hpp); neither limit is near what fits in memory together with the other.
inline void require_valid(RingShape shape) {
  constexpr std::size_t max_depth = (std::size_t{1} << 20) - 2;
  constexpr std::size_t max_frame = (std::size_t{1} << 30) - 1;
  if (shape.depth < 1 || shape.depth > max_depth) {
    throw UsageError("RingShape::depth is " + std::to_string(shape.depth) + " frames, must be 1 to " +
                     std::to_string(max_depth));
  }
  if (shape.frame_capacity > max_frame) {
    throw UsageError("RingShape::frame_capacity is " + std::to_string(shape.frame_capacity) +
                     " bytes, must be at most " + std::to_string(max_frame));
  }
}

/// Throws UsageError unless the shape in the memory of a ring is the one that an end expects.
inline void require_same_shape(RingShape found, RingShape expected, const std::string& ring) {
  const auto text = [](RingShape shape) {
    return std::to_string(shape.depth) + " frames of " + std::to_string(shape.frame_capacity) + " bytes";
  };
  if (found != expected)
    throw UsageError("ring " + ring + ": has " + text(found) + ", expected " + text(expected) +
                     "; both ends must agree on its shape");
}

}  // namespace detail
}  // namespace laxity
