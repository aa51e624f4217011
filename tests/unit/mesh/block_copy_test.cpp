// A gather by blocks and stripes equals one by single elements, for elements of any size.
#include "laxity/mesh/layers/block_copy.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "laxity/random.hpp"

namespace laxity {
namespace {

// Runs of consecutive places, evenly spaced ones and single ones, as on a lattice and on a random graph.
std::vector<std::uint32_t> random_index(SeededRandom& random, std::uint32_t places) {
  std::vector<std::uint32_t> index;
  for (int run = 0; run < 20; ++run) {
    const std::uint32_t step = random.below(3);
    std::uint32_t place = random.below(places / 2);
    for (std::uint32_t left = 1 + random.below(30); left != 0 && place < places; --left, place += step)
      index.push_back(place);
  }
  return index;
}

TEST(BlockCopy, OfElementsOfASizeThatIsKnownAtRunTimeEqualsAGather) {
  constexpr std::uint32_t places = 200;
  SeededRandom random(1);
  for (const std::size_t bytes : {1U, 2U, 3U, 4U, 8U, 12U, 16U, 24U, 100U}) {
    std::vector<std::byte> from(places * bytes);
    for (std::byte& byte : from) byte = static_cast<std::byte>(random.below(256));
    const std::vector<std::uint32_t> index = random_index(random, places);
    std::vector<std::byte> expected;
    for (const std::uint32_t place : index)
      expected.insert(expected.end(), &from[place * bytes], &from[place * bytes] + bytes);
    std::vector<std::byte> to(expected.size());
    BlockCopy(index).run(from.data(), to.data(), bytes);
    EXPECT_EQ(to, expected) << bytes << " bytes";
  }
}

}  // namespace
}  // namespace laxity
