// Snapshots of links, assembled from the observations that each simulated rank makes of its own ends.
//
// Invariants: all ranks observe at the same moments of simulated time, each at its first update after one.
// Threads: one rank runs at a time; each fills its own row.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "apps/smpi_ranks/rank_connector.hpp"
#include "laxity/metrics/link_snapshot.hpp"

namespace laxity {

struct RankObservation {
  WorkerObservation worker;
  std::map<LinkKey, LinkCounts> links;
};

/// The moments at which a run is observed: as many whole windows as fit, in its middle.
class Moments {
 public:
  /// A window of 0 ns: none.
  Moments(std::int64_t begin_ns, std::int64_t duration_ns, std::int64_t window_ns);

  /// True once for each moment that has passed, but for one moment only if several have passed since the last call.
  [[nodiscard]] bool has_come(std::int64_t now_ns) noexcept;

 private:
  std::int64_t next_ns_;
  std::int64_t last_ns_;
  std::int64_t window_ns_;
};

/// The snapshots between consecutive observations that all ranks have made.
[[nodiscard]] std::vector<LinkSnapshot> snapshots_of(const std::vector<std::vector<RankObservation>>& ranks);

}  // namespace laxity
