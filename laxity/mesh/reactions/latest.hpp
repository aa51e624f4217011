// Turns a queue that backs up into one that keeps only the newest frames, and back.
//
// What it is for: a full queue refuses the newest frame and keeps the oldest, so a slow neighbor reads news as old as
// its own update is long. A queue that overwrites has the newest ready at any time.
// An overwriting queue refuses nothing, so what turns it back is the pace of the neighbor: it does when all that is
// sent in one update of the neighbor fills half the queue at most.
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
  [[nodiscard]] bool adapts_limit() const noexcept override { return true; }
};

}  // namespace laxity
