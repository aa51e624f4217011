// The workers of one rank of a team: the first runs in the thread that joined MPI, the others in threads of their own.
//
// One more thread of each rank detects ranks that are gone and, where the rank leads its host, supervises; it calls no
// MPI.
// Threads: used by the thread that runs the team, which joined MPI.
// Elsewhere: threads and forked processes (worker_groups.hpp), the memory of the ranks of a host (team_memory.hpp).
#pragma once

#include <chrono>
#include <functional>

#include "laxity/launch/detail/link_setup.hpp"
#include "laxity/launch/detail/status_carrier.hpp"
#include "laxity/launch/detail/worker_groups.hpp"
#include "laxity/launch/ranks.hpp"
#include "laxity/launch/worker.hpp"

namespace laxity {
struct TeamOptions;
}

namespace laxity::detail {

class RankWorkers {
 public:
  /// `place` is that of the first worker of this rank. `task.link_setup` is set if there are several hosts,
  /// `task.status_carrier` if, in addition, this rank leads its host,
  /// and `task.progress` if the first worker has something to do for the others.
  RankWorkers(const WorkerTask& task, const WorkerPlace& place, Ranks& ranks)
      : task_(task), place_(place), ranks_(ranks) {}

  /// Runs the workers and, where this rank leads its host, supervise() about every tick. Returns when the workers of
  /// all hosts have ended; after the loss of a rank, which it passes to Ranks::note_loss(), when those of this host
  /// have. A rank or a host that does not end within the grace period counts as lost. An exception of supervise() ends
  /// the team and is rethrown.
  void run(const TeamOptions& options, const std::function<void()>& supervise);

 private:
  void supervise_host(const TeamOptions& options, const std::function<void()>& supervise) const;
  void detect_lost_ranks() const;
  /// True if a rank that the end of the run depends on is gone.
  [[nodiscard]] bool nobody_ends_the_run() const;
  /// True if the rank is gone.
  [[nodiscard]] bool detect_lost_workers(int rank) const;
  void wait_for_host() const;
  void wait_for_other_hosts(std::chrono::milliseconds grace) const;

  const WorkerTask& task_;
  WorkerPlace place_;
  Ranks& ranks_;
};

}  // namespace laxity::detail
