// Which message sizes a measured size stands for. Rules and the sizes of traced calls follow it, so that an algorithm
// is never used far from the sizes at which it was measured.
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <vector>

namespace laxity::collective {

/// Message sizes, both ends included.
struct SizeRange {
  std::uint64_t from = 0, to = 0;
  friend bool operator==(const SizeRange&, const SizeRange&) = default;
};

/// The range of each measured size: from half to twice the size, but no further than the geometric mean with the next
/// measured size. `sizes` is in ascending order without duplicates.
[[nodiscard]] std::vector<SizeRange> ranges_of(const std::vector<std::uint64_t>& sizes);

}  // namespace laxity::collective
