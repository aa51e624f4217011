// The first bytes of every frame that carries channels of a mesh, and how counts of 64 bits travel in 32 of them.
//
// Elsewhere: what follows them (pooled_channels.hpp, aggregated_channels.hpp, accumulating_channels.hpp), who counts touches (mesh/layers/layer.hpp).
#pragma once

#include <cstdint>

namespace laxity {

struct PackHeader {
  std::uint32_t touch;     ///< touch count of the pair of ends, see NeighborLink in mesh/ (modulo 2^32)
  std::uint32_t messages;  ///< channel messages sent so far, this frame's included (modulo 2^32)
};

/// The whole of a count of which `carried` are the low 32 bits: the one nearest to `known`, an earlier or later value of
/// the same count. Right if the two are less than 2^31 apart, which frames of one link are.
[[nodiscard]] constexpr std::uint64_t whole_count(std::uint64_t known, std::uint32_t carried) noexcept {
  constexpr std::uint64_t turn = std::uint64_t{1} << 32;
  const std::uint32_t forward = carried - static_cast<std::uint32_t>(known);
  const std::uint64_t backward = turn - forward;
  return forward >= turn / 2 && backward <= known ? known - backward : known + forward;
}

}  // namespace laxity
