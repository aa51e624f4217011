// Reduces the cadence of a link to a neighbor that refuses frames, to the rate that it accepts.
//
// A refused frame was gathered in vain, and a queue that is always full holds stale values, because it accepts the
// first frames after a pull and refuses the newest. Frames that are far enough apart are all accepted, so the last one
// is recent. After a window with refusals the link sends at the rate at which frames were accepted; after a window
// without any the interval between frames shrinks by an eighth.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "laxity/mesh/reactions/reaction.hpp"

namespace laxity {

class AdaptCadence final : public Reaction {
 public:
  /// The longest interval between frames, in flushes; a link must send to notice that its neighbor has recovered.
  static constexpr std::uint32_t max_every = 1 << 16;

  void react(const WorkerQuality& /*own*/, const LinkQuality& seen, LinkTuning& tuning) const noexcept override {
    if (seen.delivery_failure_rate > backlog) {
      const double accepted = std::max(1 - seen.delivery_failure_rate, 1.0 / max_every);
      tuning.every = static_cast<std::uint32_t>(std::min<double>(max_every, std::ceil(tuning.every / accepted)));
    } else if (seen.delivery_failure_rate == 0) {
      tuning.every -= (tuning.every + 6) / 8;  // 1 stays 1
    }
  }
};

}  // namespace laxity
