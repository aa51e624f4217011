// Sends less often to a neighbor that drops: as often as it takes.
//
// What it is for: a refused frame was gathered for nothing, and a queue that is always full holds old news, because it
// takes the first frames after a pull and refuses the newest. Frames that are far enough apart are all taken, so the
// last of them is young.
// After a window with refusals the link sends as often as frames were accepted; after one without any, an eighth more
// often, until it is told again.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "laxity/mesh/reactions/reaction.hpp"

namespace laxity {

class AdaptCadence final : public Reaction {
 public:
  /// A link sends in every n-th flush at least, so that it notices when its neighbor is well again.
  static constexpr std::uint32_t rarest = 1 << 16;

  void react(const WorkerQuality& /*own*/, const LinkQuality& seen, LinkTuning& tuning) const noexcept override {
    if (seen.delivery_failure_rate > backlog) {
      const double accepted = std::max(1 - seen.delivery_failure_rate, 1.0 / rarest);
      tuning.every = static_cast<std::uint32_t>(std::min<double>(rarest, std::ceil(tuning.every / accepted)));
    } else if (seen.delivery_failure_rate == 0) {
      tuning.every -= (tuning.every + 6) / 8;  // 1 stays 1
    }
  }
};

}  // namespace laxity
