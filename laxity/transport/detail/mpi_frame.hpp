// What every frame that travels over MPI opens with, and what it must say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace laxity::detail {

inline constexpr std::uint32_t mpi_frame_version = 1;  // changes with MpiFrameHeader and with the protocol of a link

/// The sequence number comes first: a put writes the rest, then it.
struct MpiFrameHeader {
  std::uint64_t sequence = 0;  // 1, 2, 3, ... along a link; the frame shown at the start counts as 0
  std::uint64_t type = 0;      // hash of what the payload is
  std::uint64_t bytes = 0;     // of the payload
  std::uint32_t version = mpi_frame_version;
  std::uint32_t last = 0;  // 1: the link ends, no payload
};
static_assert(sizeof(MpiFrameHeader) == 32);

inline constexpr std::size_t mpi_header_bytes = sizeof(MpiFrameHeader);

/// Whether a frame is what a link expects next.
[[nodiscard]] inline bool is_expected(const MpiFrameHeader& header, std::uint64_t sequence, std::uint64_t type,
                                      std::size_t capacity) noexcept {
  return header.sequence == sequence && header.type == type && header.version == mpi_frame_version &&
         header.bytes <= capacity;
}

/// Why it is not, in one line.
[[nodiscard]] std::string why_unexpected(const MpiFrameHeader& header, std::uint64_t sequence, std::uint64_t type,
                                         std::size_t capacity);

}  // namespace laxity::detail
