// The times at which events processed by one worker end the run, for models that end it themselves (ModelThatEnds).
//
// Invariant: the times do not increase, because a worker processes no event beyond the least of them; so the newest is
// the least. Threads: one. Elsewhere: when an end is irrevocable (gvt.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "laxity/check.hpp"
#include "laxity/timewarp/key.hpp"

namespace laxity::timewarp {

class EndOfRun {
 public:
  /// A processed event of this time (TimeBits) has left a state that ends the run.
  void found(std::uint64_t time) {
    LAXITY_DCHECK(time <= least());
    times_.push_back(time);
  }

  /// Such an event was rolled back.
  void rolled_back(std::uint64_t time) {
    const auto newest = std::find(times_.rbegin(), times_.rend(), time);
    LAXITY_CHECK(newest != times_.rend());
    times_.erase(std::next(newest).base());
  }

  /// The least of the times; that of latest_key if there is none.
  [[nodiscard]] std::uint64_t least() const noexcept { return times_.empty() ? latest_key.time : times_.back(); }

 private:
  std::vector<std::uint64_t> times_;
};

}  // namespace laxity::timewarp
