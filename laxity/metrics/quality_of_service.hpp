// The five quality-of-service metrics of best-effort communication, each a pure function of two observations.
//
// Source: Moreno, Rodriguez Papa, Ofria, "Best-effort communication improves performance and scales robustly on
// conventional hardware", II-D. The paper prints the inverse of the simstep period, `min` for `max` in the simstep
// latency and the success rate for the failure rate; here stands what its text defines. Invariants: no result is ever
// NaN, infinite or negative; each function says what it gives when nothing happened. Elsewhere: units and formulas as a
// table (tables.json, docs/run_format.md).
#pragma once

#include <cstdint>

#include "laxity/metrics/observation.hpp"

namespace laxity {

/// Time between two observations, ns; 0 if the second is not later.
[[nodiscard]] std::int64_t window_ns(const WorkerObservation& before, const WorkerObservation& after) noexcept;

/// Wall time of one update, ns: Δtime / max(Δupdates, 1). A worker that made none took at least the whole window for
/// one.
[[nodiscard]] double simstep_period_ns(const WorkerObservation& before, const WorkerObservation& after) noexcept;

/// Updates that pass while a message travels one way: Δupdates / max(Δtouches, 1), both of the receiving worker. A
/// touch count grows by 2 in a round trip. `channels` counts that were summed into `touches` are averaged.
[[nodiscard]] double simstep_latency_updates(const WorkerObservation& receiver_before,
                                             const WorkerObservation& receiver_after, const OutletObservation& before,
                                             const OutletObservation& after,
                                             std::uint32_t summed_channels = 1) noexcept;

/// Wall time a message travels one way, ns: simstep latency × simstep period of the receiving worker.
[[nodiscard]] double walltime_latency_ns(const WorkerObservation& receiver_before,
                                         const WorkerObservation& receiver_after, const OutletObservation& before,
                                         const OutletObservation& after, std::uint32_t summed_channels = 1) noexcept;

/// Fraction of puts refused, in [0, 1]: 1 − Δaccepted / Δattempted, accepted = attempted − refused. 0 without a put.
[[nodiscard]] double delivery_failure_rate(const InletObservation& before, const InletObservation& after) noexcept;

/// How unevenly messages come, in [0, 1]: 1 − Δladen / min(Δreceived, Δpulls); 0 is one message a pull. 0 when nothing
/// came.
[[nodiscard]] double delivery_clumpiness(const OutletObservation& before, const OutletObservation& after) noexcept;

/// after − before, 0 instead of a negative number: a worker read while it does not answer may be caught between two
/// counts.
[[nodiscard]] constexpr std::uint64_t increase(std::uint64_t before, std::uint64_t after) noexcept {
  return after > before ? after - before : 0;
}

}  // namespace laxity
