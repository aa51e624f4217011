// The shape of every link that the transport suite is run on.
#pragma once

#include <cstddef>

#include "laxity/transport/ring_shape.hpp"

namespace laxity::conformance {

inline constexpr std::size_t suite_depth = 4;
inline constexpr std::size_t suite_capacity = 200;
inline constexpr RingShape suite_shape{suite_depth, suite_capacity};

}  // namespace laxity::conformance
