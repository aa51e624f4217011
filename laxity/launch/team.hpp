// Starts a team of workers, looks after it while it runs, and says how it ended.
//
// A team is threads of this process, forked processes, or processes of several threads each. The caller supervises and
// does no work: it sleeps, wakes about every `tick`, and calls the function it was given. Workers never look at a clock
// to know when to end; the supervisor asks them to.
//
// A team may also spread over the ranks of an MPI, several threads each (TeamOptions::ranks): then every rank makes the
// team and calls the same functions in the same order ("collective"); the caller's thread is a worker, and one rank of
// each host supervises, in a thread of its own. Ranks of one host share memory; MPI carries only what leaves the host.
//
// Invariants: when run() returns or throws, every worker has ended and every process has been reaped. A worker that
// throws or is killed is reported by name. If the parent dies, however, the system kills its processes. Ctrl-C (or
// SIGTERM) asks for a clean end; a second one kills. Threads: one team at a time runs in a process; with processes,
// call run() before the program starts threads of its own. Elsewhere: what a worker can do (worker.hpp).
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "laxity/launch/detail/team_memory.hpp"
#include "laxity/launch/job.hpp"
#include "laxity/launch/placement.hpp"
#include "laxity/launch/ranks.hpp"
#include "laxity/launch/worker.hpp"

namespace laxity {

/// What the others do when a worker throws or is killed.
enum class OnLoss : int {
  end,    ///< they are asked to stop and barriers break, so they end at their next update or barrier
  go_on,  ///< they carry on without it; nobody waits for it at a barrier
};

struct TeamOptions {
  int threads = 1;         ///< of each process
  int processes = 0;       ///< forked; 0: the workers are threads of this process
  Ranks* ranks = nullptr;  ///< over which the team spreads, see join_ranks(); null: none. Must outlive the team
  Pin pin = Pin::automatic;
  std::size_t arena_bytes = std::size_t{1} << 30;  ///< reserved, not used until touched
  std::size_t max_blocks = std::size_t{1} << 16;   ///< in the arena
  std::size_t max_links = std::size_t{1} << 16;    ///< in the counter table
  OnLoss on_loss = OnLoss::end;
  std::chrono::milliseconds tick{20};  ///< between two calls of the supervising function
};

/// How one worker ended.
struct WorkerEnd {
  WorkerPlace place;
  WorkerState state = WorkerState::waiting;
  std::string what;  ///< why it failed or was killed; empty if it finished
};

struct TeamReport {
  std::vector<WorkerEnd> workers;  ///< by worker number
  bool interrupted = false;        ///< by a signal to this process

  [[nodiscard]] bool all_finished() const noexcept;
  /// One line for each worker that did not finish: "worker 3 (process 1, thread 1) was killed: signal 9, Killed".
  [[nodiscard]] std::string losses() const;
};

class Team {
 public:
  static constexpr int max_workers = 4096;

  /// Makes the shared memory and plans the placement; starts nobody. Collective over ranks. Throws UsageError for
  /// impossible sizes, SystemError.
  explicit Team(const TeamOptions& options);

  /// Memory for results and for whatever workers share; blocks may be placed before run(). Each host has its own.
  [[nodiscard]] Arena& arena() noexcept { return arena_; }
  [[nodiscard]] CounterTable counter_table() const noexcept { return memory_.table(); }
  [[nodiscard]] const Placement& placement() const noexcept { return placement_; }
  [[nodiscard]] int size() const noexcept { return place_of(0).size(); }
  [[nodiscard]] WorkerPlace place_of(int worker) const noexcept;

  /// Runs body(worker) in every worker and supervise() here about every tick, until all workers have ended. Once only.
  /// What a worker throws is in the report. What supervise() throws ends the team and is thrown on. Throws SystemError
  /// if a worker cannot be started. Collective over ranks; all get the same report. If a rank is gone, only rank 0
  /// returns, with what its host knows, and the program must end; if it was rank 0, another one throws Error instead.
  TeamReport run(const std::function<void(Worker&)>& body, const std::function<void()>& supervise = {});

  /// After run(), of blocks of the arena that begin as zeros, each byte written on one host at most: makes what was
  /// written on other hosts visible here. Collective over ranks.
  void allreduce_or(std::span<std::byte> block);

  /// Asks all workers to end; for supervise() and for workers. They see it through Worker::stop_requested().
  void request_stop() noexcept { memory_.request_stop(); }
  [[nodiscard]] bool stop_requested() const noexcept { return memory_.stop_flag().load(std::memory_order_relaxed); }

  /// True once every worker (of this host) has done an update or ended: from then on the time of a run is worth
  /// counting.
  [[nodiscard]] bool all_are_updating() const noexcept;

 private:
  TeamReport run_over_ranks(const std::function<void(Worker&)>& body, const std::function<void()>& supervise);
  void fill(TeamReport& report) const;

  TeamOptions options_;
  Placement placement_;
  std::optional<PublishedJob> job_;
  detail::TeamMemory memory_;
  Arena arena_;
  bool has_run_ = false;
};

/// "2t", "2p", "2p3t" (two processes of three threads), "2r3t" (two ranks of three).
[[nodiscard]] std::string shape_of(const TeamOptions& options);

}  // namespace laxity
