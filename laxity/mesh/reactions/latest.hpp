// Makes a queue overwrite its oldest frames while it is backed up.
//
// A full queue refuses the newest frame and keeps the oldest, so a slow neighbor reads values as old as its own update
// is long. A queue that overwrites always has the newest.
// An overwriting queue refuses nothing, so the neighbor's period decides when it stops overwriting: when the frames
// sent during one update of the neighbor fill at most half the queue.
#pragma once

#include "laxity/mesh/reactions/reaction.hpp"

namespace laxity {

class LatestUnderBacklog final : public Reaction {
 public:
  void react(const WorkerQuality& own, const LinkQuality& seen, LinkTuning& tuning) const noexcept override {
    if (tuning.limit != no_limit) {
      if (seen.delivery_failure_rate > backlog) tuning.limit = no_limit;
      return;
    }
    const double frame_period_ns = own.simstep_period_ns * tuning.every;
    if (2 * seen.neighbor_period_ns <= frame_period_ns * static_cast<double>(tuning.depth)) tuning.limit = tuning.depth;
  }
  [[nodiscard]] bool tunes_limit() const noexcept override { return true; }
};

}  // namespace laxity
