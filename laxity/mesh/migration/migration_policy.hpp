// Who shall get a part of a worker that is slower than others: a function of the paces, and of nothing else.
//
// A worker counts as slow if it takes more than twice as long for an update as the fastest of its neighbors would take
// with one part more. Where an update takes as long as there are parts in it, neither of two workers is slow then after
// the part has gone: what was faster has become slower as foreseen, what was slower faster. So parts do not go back and
// forth, and a worker that is well again, with few parts and short updates, gets some back by the same rule.
// A worker keeps its last part: its pace says when it is well again.
//
// Threads: pure functions. Elsewhere: who asks and does it (migratable_parts.hpp), reactions that turn links
// (mesh/reactions/reaction.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace laxity {

/// How fast a worker goes through its parts.
struct WorkerPace {
  std::uint32_t worker = 0;
  double period_ns = 0;     ///< wall time of an update of all its parts; 0: unknown
  std::uint32_t parts = 0;  ///< that it has
};

/// How many times slower is slow: scheduling alone makes equal workers differ by less.
inline constexpr double slow_factor = 2;

/// The neighbor to which the worker of pace `own` gives a part; none if it is not slow.
[[nodiscard]] inline std::optional<std::uint32_t> migration_target(const WorkerPace& own,
                                                                   std::span<const WorkerPace> neighbors) noexcept {
  if (own.parts < 2) return std::nullopt;
  std::optional<std::uint32_t> taker;
  double slowest_ns = own.period_ns / slow_factor;  // that a neighbor with the part may be
  for (const WorkerPace& neighbor : neighbors) {
    if (neighbor.period_ns <= 0 || neighbor.parts == 0) continue;
    const double parts = neighbor.parts;
    const double foreseen_ns = neighbor.period_ns * (parts + 1) / parts;
    if (foreseen_ns >= slowest_ns) continue;
    slowest_ns = foreseen_ns;
    taker = neighbor.worker;
  }
  return taker;
}

}  // namespace laxity
