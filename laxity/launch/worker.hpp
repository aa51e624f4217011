// A worker: one thread of one process of a team, and what it can ask and tell.
//
// Threads: a Worker belongs to its thread. Elsewhere: how teams start and end (team.hpp), when workers meet
// (pacing.hpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "laxity/clock/clock.hpp"
#include "laxity/launch/barrier.hpp"
#include "laxity/metrics/counter_table.hpp"
#include "laxity/metrics/quality_meter.hpp"
#include "laxity/metrics/worker_probe.hpp"
#include "laxity/transport/arena.hpp"

namespace laxity {

struct RankMap;
class RemoteLinks;

namespace detail {
class StatusCarrier;
class TeamMemory;
class LinkSetup;

/// What ties a worker to other ranks; all null in a team of one process and its children.
struct Ties {
  const RankMap* ranks = nullptr;
  LinkSetup* link_setup = nullptr;          ///< if the ranks are on several hosts
  StatusCarrier* status_carrier = nullptr;  ///< for the worker that carries the news of its host
};
}  // namespace detail

/// Where a worker stands in its team: worker = process * threads + thread.
struct WorkerPlace {
  int process = 0;
  int thread = 0;
  int processes = 1;
  int threads = 1;       ///< of each process
  bool is_rank = false;  ///< the process is a rank of an MPI, and not forked

  [[nodiscard]] int id() const noexcept { return process * threads + thread; }
  [[nodiscard]] int size() const noexcept { return processes * threads; }
  /// "worker 3 (process 1, thread 1)", "worker 3 (rank 1, thread 1)"
  [[nodiscard]] std::string name() const;
};

class Worker {
 public:
  Worker(const WorkerPlace& place, const detail::TeamMemory& memory, Arena& arena, const detail::Ties& ties = {});
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  [[nodiscard]] int id() const noexcept { return id_; }
  [[nodiscard]] int size() const noexcept { return place_.size(); }
  [[nodiscard]] int process() const noexcept { return place_.process; }
  [[nodiscard]] int thread() const noexcept { return place_.thread; }
  [[nodiscard]] std::string name() const { return place_.name(); }

  /// How far away another worker of the team is.
  [[nodiscard]] NeighborKind neighbor_kind(int other) const noexcept;

  /// Waits until all workers that have not ended are here. False: a worker was lost and the team is ending, so return.
  /// For set-up and the end of a run; updates are paced by Pacer, on a barrier of its own. What was published before it
  /// has arrived after it. Links between hosts come to life at the first barrier after they were made, and refuse
  /// before. Throws Error if the two ends of such a link do not fit.
  [[nodiscard]] bool barrier() { return meeting_.arrive_and_wait() && (ties_.link_setup == nullptr || wire_up()); }
  /// This worker's end of the barrier that a Pacer uses. One Pacer at a time; its end leaves the barrier for good.
  [[nodiscard]] BarrierMember pacing_barrier() const noexcept { return pacing_; }

  /// True once the parent, a signal or the loss of a worker asks everybody to end. One relaxed load.
  [[nodiscard]] bool stop_requested() const noexcept { return stop_->load(std::memory_order_relaxed); }

  /// Counts an update; call it at the end of each. Answers the observer if it has asked; else costs about a nanosecond.
  void update_done() noexcept {
    probe_.update_done(SteadyClock{});
    if (ties_.status_carrier != nullptr) [[unlikely]]
      carry_news();
  }
  [[nodiscard]] std::uint64_t updates() const noexcept { return probe_.updates(); }

  /// How this worker, its links and its neighbors do, over the last window of about 10 ms. Costs nothing unless it is
  /// called, then a comparison, and once a window some 20 ns and as much again for each link.
  [[nodiscard]] const WorkerQuality& quality() {
    if (meter_.is_due(updates())) [[unlikely]]
      look_at_links();
    return meter_.quality();
  }

  /// Memory that all workers of this host share: of the team, unless that is spread over several hosts.
  [[nodiscard]] Arena& arena() const noexcept { return *arena_; }
  /// Links to workers whose kind is NeighborKind::host; null if there are none.
  [[nodiscard]] RemoteLinks* remote_links() const noexcept;
  /// The rank of an MPI that carries a worker.
  [[nodiscard]] int rank_of(int worker) const noexcept { return worker / place_.threads; }
  [[nodiscard]] CounterTable counter_table() const noexcept { return table_; }

 private:
  [[nodiscard]] bool wire_up();
  void carry_news() noexcept;
  void look_at_links();

  WorkerPlace place_;
  int id_;
  detail::Ties ties_;
  std::uint64_t meetings_ = 0;  // with workers of other hosts
  const detail::TeamMemory* memory_;
  const std::atomic<bool>* stop_;
  CounterTable table_;
  WorkerProbe probe_;
  QualityMeter meter_;
  std::size_t links_watched_ = 0;  // of all in the table, when the meter was told of its own
  BarrierMember meeting_;
  BarrierMember pacing_;
  Arena* arena_;
};

}  // namespace laxity
