// One worker, or one node, that does badly on purpose, to see what the others make of it.
//
// Source: Moreno, Rodriguez Papa, Ofria, "Best-effort communication improves performance ...", III-G, where one node of
// 256 was faulty by accident.
// Threads: Hindrance is a value; the others belong to the supervisor.
// Elsewhere: faults of links (laxity/transport/impaired.hpp, in simulated runs).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>

#include "laxity/launch/team.hpp"

namespace laxity {

enum class Fault {
  none,
  slow,    ///< sleeps after each of its updates
  stop,    ///< its process stands still for most of the run
  freeze,  ///< all processes of the team on its node stand still for a while, in the middle of the run
};
[[nodiscard]] std::string_view name_of(Fault fault) noexcept;

struct Hindrance {
  Fault fault = Fault::none;
  int worker = 0;
  std::int64_t pause_ns = 1'000'000;  ///< slow: how long it sleeps, at least; freeze: how long they stand still

  [[nodiscard]] bool slows(int id) const noexcept { return fault == Fault::slow && id == worker; }
};

/// Throws UsageError if there is no such worker, or if it cannot be stopped because it is a thread of this process and no
/// rank.
void check(const Hindrance& hindrance, const TeamOptions& team);

/// Stops the process of a worker from a tenth to nine tenths of a run, by signals; does nothing for other faults.
class StoppedWorker {
 public:
  StoppedWorker(const Hindrance& hindrance, const Team& team) noexcept : hindrance_(hindrance), team_(team) {}
  StoppedWorker(const StoppedWorker&) = delete;
  StoppedWorker& operator=(const StoppedWorker&) = delete;
  /// A worker that stands still could not end.
  ~StoppedWorker() { resume(); }

  /// For the supervisor, at every turn. A team that is asked to stop is whole again at once.
  void tick(double fraction_of_run) noexcept;

 private:
  void resume() noexcept;

  Hindrance hindrance_;
  const Team& team_;
  pid_t stopped_ = 0;
};

/// Stops all processes of the team on this node, this one too, once and for a while, if the worker is one of them. A shell
/// wakes them, since they cannot.
class FrozenHost {
 public:
  FrozenHost(const Hindrance& hindrance, const Team& team, std::int64_t duration_ns) noexcept
      : hindrance_(hindrance), team_(team), begin_ns_((duration_ns - hindrance.pause_ns) / 2) {}
  FrozenHost(const FrozenHost&) = delete;
  FrozenHost& operator=(const FrozenHost&) = delete;
  /// Waits for the shell.
  ~FrozenHost();

  /// For the supervisor of each node, at every turn. Throws SystemError if there is no shell.
  void tick(std::int64_t passed_ns);

 private:
  Hindrance hindrance_;
  const Team& team_;
  std::int64_t begin_ns_;
  pid_t shell_ = 0;
};

}  // namespace laxity
