// The workers of a team as threads of this process, or as child processes with such threads in them.
//
// Invariants: a group leaves no thread and no process behind when it is destroyed.
// Threads: used by the thread that runs the team.
// Elsewhere: the memory they share (team_memory.hpp), supervision (team.cpp), the workers of a rank (rank_workers.hpp).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "laxity/launch/detail/team_memory.hpp"
#include "laxity/launch/worker.hpp"
#include "laxity/transport/arena.hpp"

namespace laxity {
struct RankMap;
}

namespace laxity::detail {

class LinkSetup;
class RankProgress;
class StatusCarrier;

/// What every worker of a team runs, and what it is given.
struct WorkerTask {
  const TeamMemory& memory;
  Arena& arena;
  const std::vector<int>& processor_of_worker;  ///< empty: not pinned
  const std::function<void(Worker&)>& body;
  const RankMap* ranks = nullptr;           ///< in a team over ranks
  LinkSetup* link_setup = nullptr;          ///< if the ranks are on several hosts
  StatusCarrier* status_carrier = nullptr;  ///< if, in addition, this rank leads its host
  RankProgress* progress = nullptr;         ///< if the first worker exchanges a status or relays frames
};

/// Runs the body in the calling thread and records the worker's start and its end, even if the body throws.
void run_worker(const WorkerTask& task, const WorkerPlace& place) noexcept;

/// Workers as threads of this process; the destructor joins them.
class ThreadGroup {
 public:
  /// Starts the threads of the process of `place`, from number `first` on. A thread that cannot be started counts as a
  /// failed worker.
  ThreadGroup(const WorkerTask& task, WorkerPlace place, int first);
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;
  ~ThreadGroup();

 private:
  std::vector<std::thread> threads_;
};

/// Workers in forked processes; the destructor kills and reaps those that are left.
class ProcessGroup {
 public:
  /// Forks place.processes children. Throws SystemError, and then leaves no child behind.
  ProcessGroup(const WorkerTask& task, WorkerPlace place);
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;
  ~ProcessGroup();

  /// Reaps children that have exited; their workers that had not ended count as killed.
  void reap();
  /// Reaps all children; kills those that do not exit within `grace`.
  void reap_all(std::chrono::milliseconds grace);
  void kill_all() const noexcept;
  /// Kills the processes of these workers, also if they are stopped, and records why.
  void give_up(const std::vector<int>& workers, const std::string& why) const noexcept;

 private:
  // Calls waitpid and records the result. True if the child has exited.
  bool reap_child(int process, int options);

  const WorkerTask task_;
  WorkerPlace place_;
  std::vector<pid_t> children_;  // by process number; 0: reaped
};

}  // namespace laxity::detail
