#include "laxity/version.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

TEST(Version, TheTextConsistsOfTheNumbers) {
  EXPECT_EQ(std::string(LAXITY_VERSION), std::to_string(LAXITY_VERSION_MAJOR) + '.' +
                                             std::to_string(LAXITY_VERSION_MINOR) + '.' +
                                             std::to_string(LAXITY_VERSION_PATCH));
}

}  // namespace
