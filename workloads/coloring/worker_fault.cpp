// Signals to stopped and frozen processes.
#include "workloads/coloring/worker_fault.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <set>
#include <string>
#include <utility>

#include "laxity/error.hpp"

namespace laxity {

std::string_view name_of(WorkerFault::Kind kind) noexcept {
  switch (kind) {
    case WorkerFault::Kind::none:
      return "none";
    case WorkerFault::Kind::slow:
      return "slow";
    case WorkerFault::Kind::link:
      return "link";
    case WorkerFault::Kind::stop:
      return "stop";
    case WorkerFault::Kind::freeze:
      return "freeze";
  }
  return "unknown";
}

void check(const WorkerFault& fault, const TeamOptions& team) {
  if (fault.kind == WorkerFault::Kind::none) return;
  const int workers = team.threads * (team.ranks != nullptr ? team.ranks->map().ranks() : std::max(1, team.processes));
  if (fault.worker < 0 || fault.worker >= workers)
    throw UsageError("faulty worker " + std::to_string(fault.worker) + ": the team has workers 0 to " +
                     std::to_string(workers - 1));
  if (fault.kind == WorkerFault::Kind::slow && fault.pause_ns <= 0)
    throw UsageError("the pause of a slow worker must be positive");
  if (fault.kind == WorkerFault::Kind::link && fault.pause_ns < 0)
    throw UsageError("the delay of a bad link must not be negative");
  if (fault.kind == WorkerFault::Kind::stop && team.processes == 0)
    throw UsageError("a thread cannot be stopped alone: the fault stop needs workers that are processes");
  if (fault.kind == WorkerFault::Kind::freeze && team.processes == 0 && team.ranks == nullptr)
    throw UsageError("a host cannot be frozen alone: the fault freeze needs MPI ranks");
}

void StoppedWorker::tick(double fraction_of_run) noexcept {
  if (fault_.kind != WorkerFault::Kind::stop) return;
  const bool shall_be_stopped = fraction_of_run >= 0.1 && fraction_of_run < 0.9 && !team_.stop_requested();
  if (!shall_be_stopped) return resume();
  if (stopped_ != 0) return;
  const WorkerCounters& worker = team_.counter_table().worker(fault_.worker);
  const pid_t pid = worker.pid.load(std::memory_order_relaxed);
  // Only a running child: the process id of an ended one may have been reused.
  const bool runs = worker.state.load(std::memory_order_acquire) == WorkerState::running;
  if (runs && pid > 0 && ::kill(pid, SIGSTOP) == 0) stopped_ = pid;
}

void StoppedWorker::resume() noexcept {
  if (stopped_ != 0) ::kill(std::exchange(stopped_, 0), SIGCONT);
}

void FrozenHost::tick(std::int64_t passed_ns) {
  if (fault_.kind != WorkerFault::Kind::freeze || shell_ != 0 || passed_ns < begin_ns_) return;
  const CounterTable table = team_.counter_table();
  const auto runs = [&](int worker) {
    return table.worker(worker).state.load(std::memory_order_acquire) == WorkerState::running;
  };
  if (!runs(fault_.worker)) return;  // it runs on another host, or has ended
  std::set<pid_t> pids;
  for (int worker = 0; worker < team_.size(); ++worker)
    if (runs(worker)) pids.insert(table.worker(worker).pid.load(std::memory_order_relaxed));
  std::string all;
  for (const pid_t pid : pids) all += ' ' + std::to_string(pid);
  std::string script = "kill -STOP" + all + "; sleep " + std::to_string(static_cast<double>(fault_.pause_ns) * 1e-9) +
                       "; kill -CONT" + all;
  std::array<char, 3> shell{"sh"}, option{"-c"};
  const std::array<char*, 4> words{shell.data(), option.data(), script.data(), nullptr};
  if (const int error = ::posix_spawn(&shell_, "/bin/sh", nullptr, nullptr, words.data(), environ); error != 0)
    throw SystemError("posix_spawn(/bin/sh)", error);
}

FrozenHost::~FrozenHost() {
  if (shell_ != 0) ::waitpid(shell_, nullptr, 0);
}

}  // namespace laxity
