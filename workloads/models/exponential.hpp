// Exponentially distributed times: those between the events of a Poisson process.
#pragma once

#include <cmath>

#include "laxity/random.hpp"

namespace laxity::models {

/// A positive random time with the mean 1 / rate.
[[nodiscard]] inline double exponential(SeededRandom& random, double rate) {
  return -std::log(1 - 0x1p-53 - random.unit() * (1 - 0x1p-52)) / rate;
}

}  // namespace laxity::models
