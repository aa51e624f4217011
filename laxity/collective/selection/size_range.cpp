#include "laxity/collective/selection/size_range.hpp"

#include <cmath>
#include <cstddef>

namespace laxity::collective {

std::vector<SizeRange> ranges_of(const std::vector<std::uint64_t>& sizes) {
  std::vector<SizeRange> ranges;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    SizeRange range{(sizes[i] + 1) / 2, 2 * sizes[i]};
    if (i > 0 && ranges.back().to >= range.from) {
      const double mean = std::sqrt(static_cast<double>(sizes[i - 1]) * static_cast<double>(sizes[i]));
      ranges.back().to = static_cast<std::uint64_t>(mean);
      range.from = ranges.back().to + 1;
    }
    ranges.push_back(range);
  }
  return ranges;
}

}  // namespace laxity::collective
