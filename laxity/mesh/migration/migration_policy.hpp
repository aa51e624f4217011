// When a worker migrates a part, and to which neighbor: a pure function of periods and numbers of parts.
//
// A worker is slow if its update takes more than twice as long as the update of the fastest neighbor would take with
// one more part. If the duration of an update is proportional to the number of parts, neither worker is slow after the
// migration, so parts do not oscillate. A worker that has recovered, with few parts and short updates, gets parts by
// the same rule. A worker keeps its last part, because its period shows when it has recovered.
//
// Threads: pure functions.
// Elsewhere: who migrates parts (migratable_parts.hpp), reactions that tune links (reactions/reaction.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace laxity {

/// The speed of a worker.
struct WorkerPace {
  std::uint32_t worker = 0;
  double period_ns = 0;     ///< wall time of one update of all its parts; 0: unknown
  std::uint32_t parts = 0;  ///< number of parts it owns
};

/// The ratio of periods above which a worker is slow. Scheduling alone makes equal workers differ by less.
inline constexpr double slow_factor = 2;

/// The neighbor to which a worker migrates a part; none if the worker is not slow.
[[nodiscard]] inline std::optional<std::uint32_t> migration_target(const WorkerPace& own,
                                                                   std::span<const WorkerPace> neighbors) noexcept {
  if (own.parts < 2) return std::nullopt;
  std::optional<std::uint32_t> target;
  double limit_ns = own.period_ns / slow_factor;  // on the period of a neighbor with one more part
  for (const WorkerPace& neighbor : neighbors) {
    if (neighbor.period_ns <= 0 || neighbor.parts == 0) continue;
    const double parts = neighbor.parts;
    const double expected_ns = neighbor.period_ns * (parts + 1) / parts;
    if (expected_ns >= limit_ns) continue;
    limit_ns = expected_ns;
    target = neighbor.worker;
  }
  return target;
}

}  // namespace laxity
