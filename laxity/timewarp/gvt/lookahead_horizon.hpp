// The lookahead horizon: no message that is received from now on carries a key below it.
//
// A worker that has adopted a GVT value handles no event below it and rolls back no event below it, so everything that
// it sends from then on lies at least the model's lookahead beyond that value. Everything that it sent before it joined
// the next round has been received when that round ends. Therefore, when a round ends, no message lies less than the
// lookahead beyond the GVT of the previous round. A worker's next event below the horizon is irrevocable before it is
// handled.
//
// Source: the lookahead of Chandy and Misra, Distributed simulation: a case study in design and verification of
// distributed programs, IEEE Trans. Softw. Eng. 5 (1979), combined with rollback.
// Invariants: the horizon never decreases; without a lookahead no key lies below it.
// Threads: one horizon per worker. Elsewhere: GVT rounds (gvt.hpp), the use of the horizon (optimistic_worker.hpp).
#pragma once

#include <utility>

#include "laxity/timewarp/key.hpp"

namespace laxity::timewarp {

template <class Time>
class LookaheadHorizon {
 public:
  /// `lookahead` in units of simulated time; 0: the model has none, or it is ignored.
  explicit LookaheadHorizon(Time lookahead) noexcept : lookahead_(lookahead) {}

  [[nodiscard]] bool is_used() const noexcept { return lookahead_ != Time{0}; }

  /// Call when a GVT round has ended with this value.
  void new_gvt(const Key& gvt) noexcept { horizon_ = instant_after(std::exchange(previous_gvt_, gvt)); }

  /// Whether every message that is still to be received has a greater key.
  [[nodiscard]] bool is_beyond(const Key& key) const noexcept { return key < horizon_; }

 private:
  // The first instant that lies at least the lookahead beyond `gvt`; earliest_key if there is no lookahead.
  [[nodiscard]] Key instant_after(const Key& gvt) const noexcept {
    if (lookahead_ == Time{0} || gvt == latest_key) return earliest_key;
    const Time time = TimeBits<Time>::time(gvt.time);
    if (lookahead_ > TimeBits<Time>::latest - time) return latest_key;
    return {TimeBits<Time>::of(time + lookahead_), 0};
  }

  Time lookahead_;
  Key previous_gvt_ = earliest_key;
  Key horizon_ = earliest_key;
};

}  // namespace laxity::timewarp
