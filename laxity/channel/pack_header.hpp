// The header of every frame that carries channels of a mesh, and how 64-bit counts travel in 32 bits.
//
// Elsewhere: the frames (pooled_channels.hpp, aggregated_channels.hpp, accumulating_channels.hpp), who counts touches
//   (mesh/layers/neighbor_link.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace laxity {

struct PackHeader {
  std::uint32_t touch;     ///< touch count of the link, see NeighborLink in mesh/layers/neighbor_link.hpp (modulo 2^32)
  std::uint32_t messages;  ///< channel messages sent so far, including this frame's (modulo 2^32)
};

/// Restores a 64-bit count from its low 32 bits `carried`: the value nearest to `known`, an earlier or later value of the
/// same count. Correct if the two differ by less than 2^31, which holds for the frames of one link.
[[nodiscard]] constexpr std::uint64_t whole_count(std::uint64_t known, std::uint32_t carried) noexcept {
  constexpr std::uint64_t turn = std::uint64_t{1} << 32;
  const std::uint32_t forward = carried - static_cast<std::uint32_t>(known);
  const std::uint64_t backward = turn - forward;
  return forward >= turn / 2 && backward <= known ? known - backward : known + forward;
}

namespace detail {

/// What a receiver of packed frames has learned from their headers.
class PackProgress {
 public:
  /// Reads the header of a frame. A frame that arrives out of order does not lower the count of messages.
  void read(std::span<const std::byte> frame) noexcept {
    PackHeader header;
    std::memcpy(&header, frame.data(), sizeof header);
    received_ = std::max(received_, whole_count(received_, header.messages));
    touch_ = header.touch;
  }
  [[nodiscard]] std::uint64_t received() const noexcept { return received_; }
  [[nodiscard]] std::uint32_t touch() const noexcept { return touch_; }

 private:
  std::uint64_t received_ = 0;
  std::uint32_t touch_ = 0;
};

}  // namespace detail
}  // namespace laxity
