// How much longer than every day a campaign shall search: LAXITY_EFFORT times as many seeds, kills or executions.
//
// laxity_long_test() in CMake registers a test once more with a higher effort, for `make test-long`.
#pragma once

#include <cstdlib>

namespace laxity {

/// 1 unless the environment says more.
inline unsigned effort() {
  const char* const text = std::getenv("LAXITY_EFFORT");
  const int asked = text == nullptr ? 1 : std::atoi(text);
  return asked > 1 ? static_cast<unsigned>(asked) : 1U;
}

}  // namespace laxity
