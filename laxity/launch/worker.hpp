// A worker: one thread of one process of a team, with access to the team's barriers, counters and memory.
//
// Threads: a Worker belongs to its thread.
// Elsewhere: how teams start and end (team.hpp), when workers wait for each other (pacing.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "laxity/clock/clock.hpp"
#include "laxity/launch/barrier.hpp"
#include "laxity/metrics/counter_table.hpp"
#include "laxity/metrics/observation.hpp"
#include "laxity/metrics/quality_meter.hpp"
#include "laxity/metrics/worker_probe.hpp"
#include "laxity/transport/arena.hpp"

namespace laxity {

struct RankMap;
class RemoteLinks;

namespace detail {
class RankProgress;
class TeamMemory;
class LinkSetup;

/// What a worker of a team over ranks needs; all null in a team of one process and its children.
struct RankContext {
  const RankMap* ranks = nullptr;
  LinkSetup* link_setup = nullptr;   ///< if the ranks are on several hosts
  RankProgress* progress = nullptr;  ///< for the first worker of a rank that exchanges a status or relays frames
};
}  // namespace detail

/// The position of a worker in its team: worker = process * threads + thread.
struct WorkerPlace {
  int process = 0;
  int thread = 0;
  int processes = 1;
  int threads = 1;       ///< of each process
  bool is_rank = false;  ///< the process is a rank, not forked

  [[nodiscard]] int id() const noexcept { return process * threads + thread; }
  [[nodiscard]] int size() const noexcept { return processes * threads; }
  /// "worker 3 (process 1, thread 1)", "worker 3 (rank 1, thread 1)"
  [[nodiscard]] std::string name() const;
};

class Worker {
 public:
  Worker(const WorkerPlace& place, const detail::TeamMemory& memory, Arena& arena,
         const detail::RankContext& rank_context = {});
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  [[nodiscard]] int id() const noexcept { return id_; }
  [[nodiscard]] int size() const noexcept { return place_.size(); }
  [[nodiscard]] int process() const noexcept { return place_.process; }
  [[nodiscard]] int thread() const noexcept { return place_.thread; }
  [[nodiscard]] std::string name() const { return place_.name(); }

  /// How far away another worker of the team is.
  [[nodiscard]] NeighborKind neighbor_kind(int other) const noexcept;

  /// Waits until all workers that have not ended have called it. False: a worker was lost and the team is ending, so
  /// the body should return. For set-up and the end of a run; updates are paced by Pacer, with a barrier of its own.
  /// Frames published before the barrier have arrived after it. Links between hosts are connected by the first barrier
  /// after they were made, and refuse before it. Throws Error if the two ends of such a link do not match.
  [[nodiscard]] bool barrier() {
    return barrier_.arrive_and_wait() && (rank_context_.link_setup == nullptr || set_up_links());
  }
  /// This worker's member of the pacing barrier, for one Pacer; its destructor leaves the barrier permanently.
  [[nodiscard]] BarrierMember pacing_barrier() const noexcept { return pacing_; }

  /// True once the parent, a signal or the loss of a worker has requested all workers to end. One relaxed load.
  [[nodiscard]] bool stop_requested() const noexcept { return stop_->load(std::memory_order_relaxed); }

  /// Counts an update; call it at the end of each. Answers a pending request of the observer; otherwise costs about a
  /// nanosecond.
  void update_done() noexcept {
    probe_.update_done(SteadyClock{});
    if (rank_context_.progress != nullptr) [[unlikely]]
      progress();
  }
  [[nodiscard]] std::uint64_t updates() const noexcept { return probe_.updates(); }

  /// Quality of service of this worker, its links and its neighbors, over the last window of about 10 ms. A call costs
  /// a comparison, and once a window about 20 ns plus 20 ns for each link.
  [[nodiscard]] const WorkerQuality& quality() {
    if (meter_.is_due(updates())) [[unlikely]]
      update_quality();
    return meter_.quality();
  }

  /// Memory that all workers of this host share; each host of a team has its own.
  [[nodiscard]] Arena& arena() const noexcept { return *arena_; }
  /// Links to workers whose kind is NeighborKind::host; null if there are none.
  [[nodiscard]] RemoteLinks* remote_links() const noexcept;
  /// The rank whose process runs a worker.
  [[nodiscard]] int rank_of(int worker) const noexcept { return worker / place_.threads; }
  [[nodiscard]] CounterTable counter_table() const noexcept { return table_; }

 private:
  [[nodiscard]] bool set_up_links();
  void progress() noexcept;
  void update_quality();

  WorkerPlace place_;
  int id_;
  detail::RankContext rank_context_;
  std::uint64_t link_setups_ = 0;  // entered
  const detail::TeamMemory* memory_;
  const std::atomic<bool>* stop_;
  CounterTable table_;
  WorkerProbe probe_;
  QualityMeter meter_;
  std::size_t links_watched_ = 0;  // number in the table when the meter was last given its links
  BarrierMember barrier_;
  BarrierMember pacing_;
  Arena* arena_;
};

}  // namespace laxity
