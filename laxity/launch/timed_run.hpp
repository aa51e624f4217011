// The supervision of a run of a given duration: takes snapshots of the counters, and stops the team at the end.
//
//   TimedRun timed(team, {.duration_ns = 2'000'000'000, .window_ns = 100'000'000}, {});
//   team.run(work, [&] { timed.tick(); });   // work() ends when worker.stop_requested()
//
// Invariant: an observation in progress is completed before the team is stopped, while workers can still answer.
// Threads: the supervisor of the team. Elsewhere: the observer (laxity/metrics/observer.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "laxity/clock/clock.hpp"
#include "laxity/launch/team.hpp"
#include "laxity/metrics/link_snapshot.hpp"
#include "laxity/metrics/observer.hpp"

namespace laxity {

struct TimedRunOptions {
  std::int64_t duration_ns = 1'000'000'000;  ///< positive; from the first tick at which all workers are updating
  std::int64_t window_ns = 0;    ///< of a snapshot; 0: none. As many whole windows as fit are centered in the run
  std::int64_t interval_ns = 0;  ///< between the beginnings of snapshots, and before the first one; 0: as they fit
};

class TimedRun {
 public:
  /// Gets the time since the beginning, and that part of the duration, at most 1.
  using OnTick = std::function<void(std::int64_t elapsed_ns, double fraction)>;

  /// The team must outlive this object. `on_tick`, if set, is called at each tick of a run that has begun, first.
  TimedRun(Team& team, const TimedRunOptions& options, OnTick on_tick)
      : team_(team), options_(options), on_tick_(std::move(on_tick)) {}

  void tick();

  /// Snapshots so far, as Observer::snapshots().
  [[nodiscard]] std::vector<LinkSnapshot> snapshots() const {
    return observer_ ? observer_->snapshots() : std::vector<LinkSnapshot>{};
  }

 private:
  void begin(std::int64_t now_ns);

  Team& team_;
  TimedRunOptions options_;
  OnTick on_tick_;
  std::optional<Observer> observer_;
  SteadyClock clock_;
  std::int64_t begin_ns_ = 0;  // 0: not all workers are updating yet
};

}  // namespace laxity
