// The quality of service of a running worker: the metrics of its links, and the speed of its neighbors.
//
// The metrics are those of quality_of_service.hpp over the last window, computed from the worker's own counters without
// an observer and without waiting. Of a neighbor on the same host only the count of updates is read, once per window.
// Invariants: all figures are finite, and zero before the end of the first window. Between two readings of the clock an
// update costs one comparison. Only watch() allocates.
// Threads: one meter per worker, used by that worker alone.
// Elsewhere: reactions of a mesh (mesh/reactions/reaction.hpp), snapshots for tables (observer.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "laxity/metrics/counter_table.hpp"
#include "laxity/metrics/observation.hpp"

namespace laxity {

/// The traffic of one layer with one other worker, both ways, over the last window.
struct LinkQuality {
  std::uint32_t layer = 0;
  std::uint32_t neighbor = 0;  ///< number of the other worker
  NeighborKind neighbor_kind = NeighborKind::same_thread;
  double delivery_failure_rate = 0;    ///< of messages to the neighbor, in [0, 1]
  double delivery_clumpiness = 0;      ///< of messages from the neighbor, in [0, 1]
  double simstep_latency_updates = 0;  ///< one way, in updates of this worker; 0 without messages from the neighbor
  double walltime_latency_ns = 0;      ///< one way
  double neighbor_period_ns = 0;       ///< wall time of an update of the neighbor; 0 if it is on another host
};

/// The quality of service of one worker.
struct WorkerQuality {
  std::uint64_t window = 0;              ///< number of the last window, from 1; 0 before its end
  double simstep_period_ns = 0;          ///< wall time of an update
  std::span<const LinkQuality> links{};  ///< to and from other workers
};

/// The counters of a link of a worker. Either end may be missing; rows of the same layer and neighbor are summed.
struct WatchedLink {
  std::uint32_t layer = 0;
  std::uint32_t neighbor = 0;
  NeighborKind neighbor_kind = NeighborKind::same_thread;
  const InletCounters* inlet = nullptr;       ///< nullptr unless this worker sends
  const OutletCounters* outlet = nullptr;     ///< nullptr unless this worker receives
  const Counter* neighbor_updates = nullptr;  ///< nullptr if the neighbor is on another host
};

/// The links between a worker of a team and other workers that are in its counter table now.
[[nodiscard]] std::vector<WatchedLink> links_of_worker(const CounterTable& table, std::uint32_t worker);

class QualityMeter {
 public:
  static constexpr std::int64_t default_window_ns = 10'000'000;

  /// A window is at least this long and ends with an update. Throws UsageError unless the window is positive.
  explicit QualityMeter(std::int64_t window_ns = default_window_ns);

  /// Replaces the links that are measured, and begins a window.
  void watch(std::span<const WatchedLink> links);

  /// Whether update() is due after this number of updates of the worker. Costs one comparison.
  [[nodiscard]] bool is_due(std::uint64_t updates) const noexcept { return updates >= next_reading_; }
  /// Ends the window if it is long enough. Takes about 20 ns, and as much per link when a window ends.
  void update(std::uint64_t updates, std::int64_t now_ns) noexcept;

  [[nodiscard]] const WorkerQuality& quality() const noexcept { return quality_; }

 private:
  struct Counts {
    InletObservation inlet;
    OutletObservation outlet;
    WorkerObservation neighbor;
  };
  struct Link {
    std::vector<WatchedLink> rows;
    std::uint32_t receiving = 0;  // rows with an outlet
    Counts before;                // when the window began
    [[nodiscard]] Counts now(std::int64_t now_ns) const noexcept;
  };

  void end_window(const WorkerObservation& now) noexcept;
  void begin_window(const WorkerObservation& now) noexcept;
  [[nodiscard]] std::uint64_t updates_left(const WorkerObservation& now) const noexcept;

  std::int64_t window_ns_;
  std::uint64_t next_reading_ = 0;
  bool has_begun_ = false;
  WorkerObservation before_{};
  std::vector<Link> links_;  // by layer and neighbor
  std::vector<LinkQuality> seen_;
  WorkerQuality quality_;
};

}  // namespace laxity
