// Snapshots of links, assembled from the observations that each simulated rank makes of its own ends.
//
// Invariants: all ranks observe at the same simulated times, each after its first update at or after that time.
// Threads: one rank runs at a time and fills its own row.
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

/// The times at which a run is observed: as many whole windows as fit, centered in the run.
class ObservationTimes {
 public:
  /// A window of 0 ns means no observation.
  ObservationTimes(std::int64_t begin_ns, std::int64_t duration_ns, std::int64_t window_ns);

  /// Whether an observation is due. Of several times that have passed since the last call, only one counts.
  [[nodiscard]] bool is_due(std::int64_t now_ns) noexcept;

 private:
  std::int64_t next_ns_;
  std::int64_t last_ns_;
  std::int64_t window_ns_;
};

/// The snapshots between consecutive observations that all ranks have made.
[[nodiscard]] std::vector<LinkSnapshot> snapshots_of(const std::vector<std::vector<RankObservation>>& ranks);

}  // namespace laxity
