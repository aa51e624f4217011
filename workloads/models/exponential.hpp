// The time to the next event of a Poisson process.
#pragma once

#include <cmath>

#include "laxity/random.hpp"

namespace laxity::models {

/// Positive; mean 1 / rate.
[[nodiscard]] inline double exponential(SeededRandom& random, double rate) {
  return -std::log(1 - 0x1p-53 - random.unit() * (1 - 0x1p-52)) / rate;
}

}  // namespace laxity::models
