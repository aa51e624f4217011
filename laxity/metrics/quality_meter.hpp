// The quality of service that a worker sees while it runs: of its links, and how fast its neighbors are.
//
// The metrics are those of quality_of_service.hpp, over the last window instead of a snapshot that an observer took. The
// counters are the worker's own, so nobody is asked and nobody waits; of a neighbor on the same host only the count of
// its updates is read, once a window.
// Invariants: always finite; before the first window has passed all is zero. Between two looks at the clock the worker
// pays for one comparison. Nothing is allocated but by watch().
// Threads: one meter per worker, used by that worker alone.
// Elsewhere: what a mesh can do about it (mesh/reactions/reaction.hpp), snapshots for tables (observer.hpp).
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
  double delivery_failure_rate = 0;    ///< of what this worker sends there, in [0, 1]
  double delivery_clumpiness = 0;      ///< of what comes from there, in [0, 1]
  double simstep_latency_updates = 0;  ///< one way, in updates of this worker; 0 if nothing comes from there
  double walltime_latency_ns = 0;      ///< one way
  double neighbor_period_ns = 0;       ///< wall time of an update of the neighbor; 0 if unknown: it is on another host
};

/// What a worker sees of itself and around it.
struct WorkerQuality {
  std::uint64_t window = 0;              ///< counts windows from 1; 0: none has passed yet
  double simstep_period_ns = 0;          ///< wall time of an update
  std::span<const LinkQuality> links{};  ///< to and from other workers
};

/// A row of counters of a link, as one of its ends sees it. Either end may be missing; rows of the same layer and
/// neighbor are summed.
struct WatchedLink {
  std::uint32_t layer = 0;
  std::uint32_t neighbor = 0;
  NeighborKind neighbor_kind = NeighborKind::same_thread;
  const InletCounters* inlet = nullptr;       ///< if this worker sends
  const OutletCounters* outlet = nullptr;     ///< if it receives
  const Counter* neighbor_updates = nullptr;  ///< if they can be seen from here
};

/// The links of a worker of a team to and from others, as they are in its table now.
[[nodiscard]] std::vector<WatchedLink> links_of_worker(const CounterTable& table, std::uint32_t worker);

class QualityMeter {
 public:
  static constexpr std::int64_t usual_window_ns = 10'000'000;

  /// A window is at least this long and ends with an update. Throws UsageError unless it is positive.
  explicit QualityMeter(std::int64_t window_ns = usual_window_ns);

  /// Replaces the links that are looked at; begins a window.
  void watch(std::span<const WatchedLink> links);

  /// Whether look() has something to do after this number of updates of the worker. One comparison.
  [[nodiscard]] bool is_due(std::uint64_t updates) const noexcept { return updates >= next_look_; }
  /// Ends the window if it is long enough. Some 20 ns, and as much again for each link when a window ends.
  void look(std::uint64_t updates, std::int64_t now_ns) noexcept;

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
  std::uint64_t next_look_ = 0;
  bool has_begun_ = false;
  WorkerObservation before_{};
  std::vector<Link> links_;  // by layer and neighbor
  std::vector<LinkQuality> seen_;
  WorkerQuality quality_;
};

}  // namespace laxity
