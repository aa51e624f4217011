// The median of measurements, defined once for the library, the command line and the benchmarks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "laxity/check.hpp"

namespace laxity {

/// The middle value in the order of size; of an even number of values the mean of the two in the middle, as in numpy.
/// There must be a value.
[[nodiscard]] inline double median(std::vector<double> values) {
  LAXITY_CHECK(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace laxity
