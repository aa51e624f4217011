#include "laxity/clock/clock_model.hpp"

#include "laxity/random.hpp"

namespace laxity {

ClockModel random_clock_model(std::uint64_t seed, std::int64_t origin_ns, double most_offset_ns, double most_drift) {
  SeededRandom random(seed);
  const double offset_ns = (2 * random.unit() - 1) * most_offset_ns;
  return {.origin_ns = origin_ns, .offset_ns = std::round(offset_ns), .drift = (2 * random.unit() - 1) * most_drift};
}

}  // namespace laxity
