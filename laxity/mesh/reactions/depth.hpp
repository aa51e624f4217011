// Gives a neighbor that drops a deeper queue, and one that takes everything a shallower one.
//
// What it is for: layers whose readers take every frame in turn (aggregated), where a deep queue is latency and a
// shallow one refuses bursts. A reader that jumps to the newest frame gains little.
#pragma once

#include <algorithm>

#include "laxity/mesh/reactions/reaction.hpp"

namespace laxity {

class AdaptDepth final : public Reaction {
 public:
  /// With fewer frames a neighbor that is neither slow nor late would drop: one lies there while the next comes.
  static constexpr std::size_t least = 2;

  void react(const WorkerQuality& /*own*/, const LinkQuality& seen, LinkTuning& tuning) const noexcept override {
    if (tuning.limit == no_limit) return;  // overwrites, by another reaction
    if (seen.delivery_failure_rate > backlog)
      tuning.limit = std::min(2 * tuning.limit, tuning.depth);
    else if (seen.delivery_failure_rate == 0)
      tuning.limit = std::max(tuning.limit - 1, std::min(least, tuning.depth));
  }
  [[nodiscard]] bool adapts_limit() const noexcept override { return true; }
};

}  // namespace laxity
