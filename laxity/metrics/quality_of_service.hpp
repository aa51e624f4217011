// The five quality-of-service metrics of best-effort communication, and the measured one-way latency, each a pure
// function of two observations.
//
// Source: Moreno, Rodriguez Papa, Ofria, "Best-effort communication improves performance and scales robustly on
// conventional hardware", II-D. The paper prints the inverse of the simstep period, `min` for `max` in the simstep
// latency and the success rate for the failure rate; these functions compute what its text defines. Invariants: no
// result is ever NaN or infinite, and only the measured latency, by the error of clocks, may be negative; each
// function documents its value when nothing happened. Elsewhere: units
// and formulas as a table (tables.json, docs/run_format.md).
#pragma once

#include <cstdint>

#include "laxity/metrics/observation.hpp"

namespace laxity {

/// Time between two observations, ns; 0 if the second is not later.
[[nodiscard]] std::int64_t window_ns(const WorkerObservation& before, const WorkerObservation& after) noexcept;

/// Wall time per update, ns: Δtime / max(Δupdates, 1). Without an update, the window is a lower bound.
[[nodiscard]] double simstep_period_ns(const WorkerObservation& before, const WorkerObservation& after) noexcept;

/// One-way latency of messages in updates: Δupdates / max(Δtouches, 1), both of the receiving worker. A
/// touch count grows by 2 in a round trip. `channels` counts that were summed into `touches` are averaged.
[[nodiscard]] double simstep_latency_updates(const WorkerObservation& receiver_before,
                                             const WorkerObservation& receiver_after, const OutletObservation& before,
                                             const OutletObservation& after,
                                             std::uint32_t summed_channels = 1) noexcept;

/// One-way latency of messages in wall time, ns: simstep latency × simstep period of the receiving worker.
[[nodiscard]] double walltime_latency_ns(const WorkerObservation& receiver_before,
                                         const WorkerObservation& receiver_after, const OutletObservation& before,
                                         const OutletObservation& after, std::uint32_t summed_channels = 1) noexcept;

/// Mean time from the sending of a message to the pull that showed it, ns, of the messages that carried the time at
/// which they were sent; 0 if there was none.
[[nodiscard]] double one_way_latency_ns(const OutletObservation& before, const OutletObservation& after) noexcept;

/// Fraction of puts that were refused, in [0, 1]: 1 − Δaccepted / Δattempted, accepted = attempted − refused. 0 without
/// a put.
[[nodiscard]] double delivery_failure_rate(const InletObservation& before, const InletObservation& after) noexcept;

/// How unevenly messages are spread over pulls, in [0, 1]: 1 − Δladen / min(Δreceived, Δpulls); 0 for one message per
/// pull, and 0 when nothing was received.
[[nodiscard]] double delivery_clumpiness(const OutletObservation& before, const OutletObservation& after) noexcept;

/// after − before, or 0 if that is negative: the counters of a worker that does not answer may be read between two
/// increments.
[[nodiscard]] constexpr std::uint64_t increase(std::uint64_t before, std::uint64_t after) noexcept {
  return after > before ? after - before : 0;
}

}  // namespace laxity
