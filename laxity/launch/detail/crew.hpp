// Who carries the workers: threads of this process, and child processes with such threads in them.
//
// Invariants: a crew that goes away leaves no thread and no process behind.
// Threads: used by the thread that runs the team. Elsewhere: what they share (team_memory.hpp), supervision (team.cpp).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "laxity/launch/detail/team_memory.hpp"
#include "laxity/launch/worker.hpp"

namespace laxity {
struct RankMap;
}

namespace laxity::detail {

class StatusCarrier;
class LinkSetup;

/// What every worker of a team does, and with what.
struct Job {
  const TeamMemory& memory;
  Arena& arena;
  const std::vector<int>& processor_of_worker;  ///< empty: not pinned
  const std::function<void(Worker&)>& body;
  const RankMap* ranks = nullptr;  ///< of a team over ranks; and if they are on several hosts:
  LinkSetup* link_setup = nullptr;
  StatusCarrier* status_carrier = nullptr;  ///< in the rank that leads its host
};

/// Runs the body in the calling thread, from the worker's first sign of life to its end, whatever it throws.
void run_worker(const Job& job, const WorkerPlace& place) noexcept;

/// Workers as threads of this process. Joins them when it goes.
class ThreadCrew {
 public:
  /// Starts the threads from `first` on of the process that `place` is in. One that cannot be started counts as failed.
  ThreadCrew(const Job& job, WorkerPlace place, int first);
  ThreadCrew(const ThreadCrew&) = delete;
  ThreadCrew& operator=(const ThreadCrew&) = delete;
  ~ThreadCrew();

 private:
  std::vector<std::thread> threads_;
};

/// Workers in forked processes. Kills and reaps those that are left when it goes.
class ProcessCrew {
 public:
  /// Forks place.processes children. Throws SystemError, and then none is left.
  ProcessCrew(const Job& job, WorkerPlace place);
  ProcessCrew(const ProcessCrew&) = delete;
  ProcessCrew& operator=(const ProcessCrew&) = delete;
  ~ProcessCrew();

  /// Reaps children that are gone; their workers that had not ended count as killed.
  void reap();
  /// Reaps all; kills those that do not go within `grace`.
  void reap_all(std::chrono::milliseconds grace);
  void kill_all() const noexcept;

 private:
  // waitpid, and the account of what it says. True if the child is gone.
  bool reap_child(int process, int options);

  const Job job_;
  WorkerPlace place_;
  std::vector<pid_t> children_;  // by process number; 0: reaped
};

}  // namespace laxity::detail
