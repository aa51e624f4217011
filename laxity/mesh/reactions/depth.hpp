// Deepens the queue to a neighbor that refuses frames, and makes it shallower when every frame is accepted.
//
// For layers whose readers take every frame in order (AggregatedLayer): a deep queue adds latency, a shallow one
// refuses bursts. Readers that jump to the newest frame gain little.
#pragma once

#include <algorithm>
#include <cstddef>

#include "laxity/mesh/reactions/reaction.hpp"

namespace laxity {

class AdaptDepth final : public Reaction {
 public:
  /// With fewer frames even a neighbor that keeps up would refuse some: one is read while the next arrives.
  static constexpr std::size_t min_limit = 2;

  void react(const WorkerQuality& /*own*/, const LinkQuality& seen, LinkTuning& tuning) const noexcept override {
    if (tuning.limit == no_limit) return;  // another reaction made the queue overwrite
    if (seen.delivery_failure_rate > backlog)
      tuning.limit = std::min(2 * tuning.limit, tuning.depth);
    else if (seen.delivery_failure_rate == 0)
      tuning.limit = std::max(tuning.limit - 1, std::min(min_limit, tuning.depth));
  }
  [[nodiscard]] bool tunes_limit() const noexcept override { return true; }
};

}  // namespace laxity
