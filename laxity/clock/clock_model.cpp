#include "laxity/clock/clock_model.hpp"

#include "laxity/random.hpp"

namespace laxity {

ClockModel random_clock_model(std::uint64_t seed, std::int64_t origin_ns, double max_offset_ns, double max_drift) {
  SeededRandom random(seed);
  const double offset_ns = (2 * random.unit() - 1) * max_offset_ns;
  return {.origin_ns = origin_ns, .offset_ns = std::round(offset_ns), .drift = (2 * random.unit() - 1) * max_drift};
}

}  // namespace laxity
