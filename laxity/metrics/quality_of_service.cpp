#include "laxity/metrics/quality_of_service.hpp"

#include <algorithm>
#include <limits>

namespace laxity {
namespace {

double as_real(std::uint64_t count) noexcept { return static_cast<double>(count); }

// 1 − part / whole, kept in [0, 1]; 0 of nothing is no failure.
double missing_share(double part, double whole) noexcept {
  return whole > 0 ? std::clamp(1.0 - part / whole, 0.0, 1.0) : 0.0;
}

}  // namespace

std::int64_t window_ns(const WorkerObservation& before, const WorkerObservation& after) noexcept {
  if (after.time_ns <= before.time_ns) return 0;
  // Unsigned, because a difference may be larger than either.
  const std::uint64_t window = static_cast<std::uint64_t>(after.time_ns) - static_cast<std::uint64_t>(before.time_ns);
  return static_cast<std::int64_t>(std::min<std::uint64_t>(window, std::numeric_limits<std::int64_t>::max()));
}

double simstep_period_ns(const WorkerObservation& before, const WorkerObservation& after) noexcept {
  return static_cast<double>(window_ns(before, after)) /
         as_real(std::max<std::uint64_t>(increase(before.updates, after.updates), 1));
}

double simstep_latency_updates(const WorkerObservation& receiver_before, const WorkerObservation& receiver_after,
                               const OutletObservation& before, const OutletObservation& after,
                               std::uint32_t summed_channels) noexcept {
  const double updates = as_real(increase(receiver_before.updates, receiver_after.updates));
  const double touches = as_real(increase(before.touches, after.touches)) / std::max<std::uint32_t>(summed_channels, 1);
  return updates / std::max(touches, 1.0);
}

double walltime_latency_ns(const WorkerObservation& receiver_before, const WorkerObservation& receiver_after,
                           const OutletObservation& before, const OutletObservation& after,
                           std::uint32_t summed_channels) noexcept {
  return simstep_latency_updates(receiver_before, receiver_after, before, after, summed_channels) *
         simstep_period_ns(receiver_before, receiver_after);
}

double one_way_latency_ns(const OutletObservation& before, const OutletObservation& after) noexcept {
  const auto sum_ns = static_cast<std::int64_t>(after.one_way_ns - before.one_way_ns);  // modulo 2^64
  const std::uint64_t timed = increase(before.timed, after.timed);
  return timed == 0 ? 0 : static_cast<double>(sum_ns) / as_real(timed);
}

double delivery_failure_rate(const InletObservation& before, const InletObservation& after) noexcept {
  const std::uint64_t attempted = increase(before.attempted, after.attempted);
  const std::uint64_t refused = increase(before.refused, after.refused);
  return missing_share(as_real(increase(refused, attempted)), as_real(attempted));
}

double delivery_clumpiness(const OutletObservation& before, const OutletObservation& after) noexcept {
  const std::uint64_t possible =
      std::min(increase(before.received, after.received), increase(before.pulls, after.pulls));
  return missing_share(as_real(increase(before.laden, after.laden)), as_real(possible));
}

}  // namespace laxity
