// Fault injection: one worker is slow or on a bad link, or its process or all processes of its host stop for a while.
//
// Source: Moreno, Rodriguez Papa, Ofria, "Best-effort communication improves performance ...", III-G, where one node of a
//   cluster of 256 was faulty by accident.
// Threads: WorkerFault is a value; the other classes belong to the supervisor.
// Elsewhere: faults of links (laxity/transport/impaired.hpp, laxity/mesh/impaired_connector.hpp).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>

#include "laxity/launch/team.hpp"

namespace laxity {

/// A fault that is injected into a run.
struct WorkerFault {
  enum class Kind {
    none,
    slow,    ///< the worker sleeps after each update
    link,    ///< it is on a bad link: of the frames to and from it half are lost, and the others delayed
    stop,    ///< its process is stopped for most of the run
    freeze,  ///< all processes of the team on its host are stopped for a while, in the middle of the run
  };

  Kind kind = Kind::none;
  int worker = 0;
  std::int64_t pause_ns = 1'000'000;  ///< slow: length of a sleep; link: delay; freeze: length of the stop

  static constexpr double loss_of_bad_link = 0.5;

  [[nodiscard]] bool slows(int id) const noexcept { return kind == Kind::slow && id == worker; }
};
[[nodiscard]] std::string_view name_of(WorkerFault::Kind kind) noexcept;

/// Throws UsageError if the worker does not exist, or if it cannot be stopped because it is a thread of this process.
void check(const WorkerFault& fault, const TeamOptions& team);

/// Implements WorkerFault::Kind::stop: stops the process of a worker by a signal, from a tenth to nine tenths of a run.
class StoppedWorker {
 public:
  StoppedWorker(const WorkerFault& fault, const Team& team) noexcept : fault_(fault), team_(team) {}
  StoppedWorker(const StoppedWorker&) = delete;
  StoppedWorker& operator=(const StoppedWorker&) = delete;
  /// Resumes the worker, which could not end otherwise.
  ~StoppedWorker() { resume(); }

  /// Called by the supervisor at every tick. Resumes the worker at once when the team is asked to stop.
  void tick(double fraction_of_run) noexcept;

 private:
  void resume() noexcept;

  WorkerFault fault_;
  const Team& team_;
  pid_t stopped_ = 0;
};

/// Stops all processes of the team on this node, this one too, once and for a while, if the worker is one of them. A shell
/// wakes them, since they cannot.
class FrozenHost {
 public:
  FrozenHost(const WorkerFault& fault, const Team& team, std::int64_t duration_ns) noexcept
      : fault_(fault), team_(team), begin_ns_((duration_ns - fault.pause_ns) / 2) {}
  FrozenHost(const FrozenHost&) = delete;
  FrozenHost& operator=(const FrozenHost&) = delete;
  /// Waits for the shell.
  ~FrozenHost();

  /// Called by the supervisor of each host at every tick. Throws SystemError if no shell can be started.
  void tick(std::int64_t passed_ns);

 private:
  WorkerFault fault_;
  const Team& team_;
  std::int64_t begin_ns_;
  pid_t shell_ = 0;
};

}  // namespace laxity
