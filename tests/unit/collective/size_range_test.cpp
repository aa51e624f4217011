#include "laxity/collective/selection/size_range.hpp"

#include <gtest/gtest.h>

namespace laxity::collective {
namespace {

TEST(SizeRange, IsHalfToTwiceTheMeasuredSize) {
  EXPECT_EQ(ranges_of({64}), (std::vector<SizeRange>{{32, 128}}));
  EXPECT_EQ(ranges_of({7}), (std::vector<SizeRange>{{4, 14}}));
  EXPECT_EQ(ranges_of({1}), (std::vector<SizeRange>{{1, 2}}));
  EXPECT_EQ(ranges_of({8, 1024}), (std::vector<SizeRange>{{4, 16}, {512, 2048}}));
}

TEST(SizeRange, EndsAtTheGeometricMeanWithANeighbor) {
  EXPECT_EQ(ranges_of({100, 121}), (std::vector<SizeRange>{{50, 110}, {111, 242}}));
  EXPECT_EQ(ranges_of({64, 128, 256}), (std::vector<SizeRange>{{32, 90}, {91, 181}, {182, 512}}));
  EXPECT_EQ(ranges_of({1, 2, 3}), (std::vector<SizeRange>{{1, 1}, {2, 2}, {3, 6}}));
}

}  // namespace
}  // namespace laxity::collective
