// The workers that one rank of a team carries: the first in the thread that joined the MPI, the others in threads of
// their own. One more thread of each rank looks out for ranks that are gone, and supervises where the rank leads its host; it
// makes no call of the MPI.
//
// Threads: used by the thread that runs the team, which joined the MPI.
// Elsewhere: threads and forked processes (crew.hpp), what the ranks of a host share (team_memory.hpp).
#pragma once

#include <chrono>
#include <functional>

#include "laxity/launch/detail/crew.hpp"
#include "laxity/launch/detail/link_setup.hpp"
#include "laxity/launch/detail/status_carrier.hpp"
#include "laxity/launch/ranks.hpp"

namespace laxity::detail {

class RankCrew {
 public:
  /// `place` is that of the first worker of this rank; job.link_setup and job.status_carrier are there if there are several hosts
  /// (the status_carrier for the leader of each).
  RankCrew(const Job& job, const WorkerPlace& place, Ranks& ranks) : job_(job), place_(place), ranks_(ranks) {}

  /// Runs the workers and, where this rank leads its host, supervise() about every tick. Returns when the workers of all
  /// hosts have ended, or, with Ranks::note_loss(), when those of this host have and a rank of the team is gone. What
  /// supervise() throws ends the team and is thrown on.
  void run(std::chrono::milliseconds tick, const std::function<void()>& supervise);

 private:
  void supervise_host(std::chrono::milliseconds tick, const std::function<void()>& supervise) const;
  void notice_lost_ranks() const;
  [[nodiscard]] bool nobody_ends_the_run() const;
  /// True if the rank is gone.
  [[nodiscard]] bool notice_lost_workers(int rank) const;
  void wait_for_host() const;
  void wait_for_other_hosts() const;

  const Job& job_;
  WorkerPlace place_;
  Ranks& ranks_;
};

}  // namespace laxity::detail
