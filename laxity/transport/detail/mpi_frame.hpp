// The header of every frame that is sent over MPI, and its validation.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace laxity::detail {

inline constexpr std::uint32_t mpi_frame_version = 2;  // changes with MpiFrameHeader and with the protocol of a link

/// The sequence number is the first member: a put writes it after the rest of the frame.
struct MpiFrameHeader {
  std::uint64_t sequence = 0;  // 1, 2, 3, ... on each link; the empty frame shown first has 0
  std::uint64_t type = 0;      // hash of the type of the payload
  std::uint64_t bytes = 0;     // of the payload
  std::uint32_t version = mpi_frame_version;
  std::uint32_t padding = 0;
};
static_assert(sizeof(MpiFrameHeader) == 32);

inline constexpr std::size_t mpi_header_bytes = sizeof(MpiFrameHeader);

/// True if a frame is the one that a link expects next.
[[nodiscard]] inline bool is_expected(const MpiFrameHeader& header, std::uint64_t sequence, std::uint64_t type,
                                      std::size_t capacity) noexcept {
  return header.sequence == sequence && header.type == type && header.version == mpi_frame_version &&
         header.bytes <= capacity;
}

/// Why a frame is not the one expected, in one line.
[[nodiscard]] std::string why_unexpected(const MpiFrameHeader& header, std::uint64_t sequence, std::uint64_t type,
                                         std::size_t capacity);

}  // namespace laxity::detail
