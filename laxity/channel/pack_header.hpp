// The header of every frame that carries channels of a mesh, and how 64-bit counts travel in 32 bits.
//
// Elsewhere: the frames (pooled_channels.hpp, aggregated_channels.hpp, accumulating_channels.hpp), who counts touches
//   (mesh/layers/neighbor_link.hpp).
#pragma once

#include <cstdint>

namespace laxity {

struct PackHeader {
  std::uint32_t touch;     ///< touch count of the link, see NeighborLink in mesh/layers/neighbor_link.hpp (modulo 2^32)
  std::uint32_t messages;  ///< channel messages sent so far, including this frame's (modulo 2^32)
};

/// Restores a 64-bit count from its low 32 bits `carried`: the value nearest to `known`, an earlier or later value of
/// the same count. Correct if the two differ by less than 2^31, which holds for the frames of one link.
[[nodiscard]] constexpr std::uint64_t whole_count(std::uint64_t known, std::uint32_t carried) noexcept {
  constexpr std::uint64_t turn = std::uint64_t{1} << 32;
  const std::uint32_t forward = carried - static_cast<std::uint32_t>(known);
  const std::uint64_t backward = turn - forward;
  return forward >= turn / 2 && backward <= known ? known - backward : known + forward;
}

}  // namespace laxity
