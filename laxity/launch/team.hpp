// Starts a team of workers, supervises it while it runs, and reports how each worker ended.
//
// A team consists of threads of this process, of forked processes, or of processes with several threads each. The
// caller is the supervisor and does no work: it sleeps, wakes about every `tick`, and calls the function it was given.
// Workers read no clock to know when to end; the supervisor requests it.
//
// A team may also spread over the ranks of an MPI, each with several threads (TeamOptions::ranks): then every rank
// makes the team and calls the same functions in the same order ("collective"); the caller's thread is a worker, and
// one rank of each host supervises, in a thread of its own. Ranks of one host share memory; MPI carries only what
// leaves the host.
//
// Invariants: when run() returns or throws, every worker has ended and every process has been reaped. A worker that
// throws or is killed is reported by name. If the parent dies, the system kills its processes.
// Ctrl-C (or SIGTERM) requests a clean end, also if only one of the processes receives it; a second one kills. Workers
// that do not end within a grace period after any request to stop are killed, and the team ends without them.
// Threads: one team at a time runs in a process, and none in its workers; with processes, call run() before the program
// starts threads of its own.
// Elsewhere: what a worker can do (worker.hpp).
#pragma once

#include <atomic>
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
#include "laxity/metrics/counter_table.hpp"
#include "laxity/transport/arena.hpp"

namespace laxity {

/// What the other workers do when a worker throws or is killed.
enum class LossPolicy : int {
  end,    ///< a stop is requested and the barriers break, so they end at their next update or barrier
  go_on,  ///< they continue without it; nobody waits for it at a barrier
};

struct TeamOptions {
  int threads = 1;         ///< of each process
  int processes = 0;       ///< forked; 0: the workers are threads of this process
  Ranks* ranks = nullptr;  ///< ranks that the team spreads over, see join_ranks(); null: none. Must outlive the team
  PinPolicy pin = PinPolicy::automatic;
  std::size_t arena_bytes = std::size_t{1} << 30;  ///< address space; pages take memory once they are written
  std::size_t max_blocks = std::size_t{1} << 16;   ///< in the arena
  std::size_t max_links = std::size_t{1} << 16;    ///< in the counter table
  LossPolicy on_loss = LossPolicy::end;
  std::chrono::milliseconds tick{20};  ///< between two calls of the supervising function
  /// For workers to end after a request to stop, counted again whenever one has ended. Then those that hold up the end
  /// are killed. A thread cannot be killed: the process ends, with a line that names it.
  std::chrono::milliseconds grace{10'000};
};

/// How one worker ended.
struct WorkerEnd {
  WorkerPlace place;
  WorkerState state = WorkerState::waiting;
  std::string what;  ///< why the worker failed or was killed; empty if it finished
};

struct TeamReport {
  std::vector<WorkerEnd> workers;  ///< by worker number
  bool interrupted = false;        ///< a signal has requested the end
  std::string signal{};            ///< the one that did: "signal 15, Terminated, to process 1"

  [[nodiscard]] bool all_finished() const noexcept;
  /// One line for each worker that did not finish: "worker 3 (process 1, thread 1) was killed: signal 9, Killed".
  [[nodiscard]] std::string losses() const;
  /// The signal and then the losses in one line; empty if the run was not interrupted.
  [[nodiscard]] std::string interruption() const;
};

class Team {
 public:
  static constexpr int max_workers = 4096;

  /// Makes the shared memory and plans the placement; starts no worker. Collective over ranks. Throws UsageError for
  /// impossible sizes, SystemError.
  explicit Team(const TeamOptions& options);

  /// Memory for results and other data that workers share; blocks may be placed before run(). Each host has its own.
  [[nodiscard]] Arena& arena() noexcept { return arena_; }
  [[nodiscard]] CounterTable counter_table() const noexcept { return memory_.table(); }
  [[nodiscard]] const Placement& placement() const noexcept { return placement_; }
  [[nodiscard]] int size() const noexcept { return place_of(0).size(); }
  [[nodiscard]] WorkerPlace place_of(int worker) const noexcept;

  /// Runs body(worker) in every worker and supervise() here about every tick, until all workers have ended. To be
  /// called once. Exceptions of workers are in the report. An exception of supervise() ends the team and is rethrown.
  /// Throws SystemError if a worker cannot be started, UsageError if a team runs in this process. Collective over
  /// ranks; all get the same report. If a rank is gone, only rank 0 returns, with what is known on its host, and the
  /// program must end; if rank 0 is gone, another rank throws Error instead.
  TeamReport run(const std::function<void(Worker&)>& body, const std::function<void()>& supervise = {});

  /// After run(): each byte of a block of the arena becomes the bitwise or of that byte on all hosts. So results that
  /// are written on one host each, into blocks of zeros, are complete on every host. Collective over ranks.
  void allreduce_or(std::span<std::byte> block);

  /// Requests all workers to end; for supervise() and for workers, which read Worker::stop_requested().
  void request_stop() noexcept { memory_.request_stop(); }
  [[nodiscard]] bool stop_requested() const noexcept { return memory_.stop_flag().load(std::memory_order_relaxed); }

  /// True once every worker of this host has done an update or ended; measurements begin then.
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
