#include "laxity/launch/timed_run.hpp"

#include <algorithm>

namespace laxity {

void TimedRun::tick() {
  const std::int64_t now_ns = clock_.now_ns();
  if (begin_ns_ == 0) {
    if (!team_.all_are_updating()) return;
    begin(now_ns);
  }
  const std::int64_t elapsed_ns = now_ns - begin_ns_;
  if (on_tick_)
    on_tick_(elapsed_ns, std::min(1.0, static_cast<double>(elapsed_ns) / static_cast<double>(options_.duration_ns)));
  if (observer_) observer_->poll(now_ns);
  const bool waits = observer_ && observer_->is_waiting();
  if (elapsed_ns >= options_.duration_ns && !waits) team_.request_stop();
}

void TimedRun::begin(std::int64_t now_ns) {
  begin_ns_ = now_ns;
  const auto [duration_ns, window_ns, interval_ns] = options_;
  if (window_ns == 0) return;
  const std::int64_t windows = std::max<std::int64_t>(1, duration_ns / window_ns);
  const std::int64_t rest_ns = duration_ns - windows * window_ns;
  const std::int64_t first_ns = interval_ns != 0 ? interval_ns : std::max<std::int64_t>(1, rest_ns / 2);
  observer_.emplace(team_.counter_table(),
                    ObserverOptions{.first_after_ns = first_ns, .window_ns = window_ns, .interval_ns = interval_ns},
                    begin_ns_);
}

}  // namespace laxity
