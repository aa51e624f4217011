#include "workloads/coloring/hindrance.hpp"

#include <csignal>
#include <string>
#include <utility>

#include "laxity/error.hpp"

namespace laxity {

std::string_view name_of(Fault fault) noexcept {
  switch (fault) {
    case Fault::none:
      return "none";
    case Fault::slow:
      return "slow";
    case Fault::stop:
      return "stop";
  }
  return "unknown";
}

void check(const Hindrance& hindrance, const TeamOptions& team) {
  if (hindrance.fault == Fault::none) return;
  const int workers = team.threads * (team.processes == 0 ? 1 : team.processes);
  if (hindrance.worker < 0 || hindrance.worker >= workers)
    throw UsageError("worker " + std::to_string(hindrance.worker) + " shall be hindered: the team has workers 0 to " +
                     std::to_string(workers - 1));
  if (hindrance.fault == Fault::slow && hindrance.pause_ns <= 0)
    throw UsageError("the pause of a slow worker must be longer than 0");
  if (hindrance.fault == Fault::stop && team.processes == 0)
    throw UsageError("a thread cannot be stopped alone: the fault stop needs workers that are processes");
}

void StoppedWorker::tick(double fraction_of_run) noexcept {
  if (hindrance_.fault != Fault::stop) return;
  const bool shall_stand = fraction_of_run >= 0.1 && fraction_of_run < 0.9 && !team_.stop_requested();
  if (!shall_stand) return resume();
  if (stopped_ != 0) return;
  const WorkerCounters& worker = team_.counter_table().worker(hindrance_.worker);
  const pid_t pid = worker.pid.load(std::memory_order_relaxed);
  // Only a child that runs: a number that is free again may belong to anybody.
  const bool runs = worker.state.load(std::memory_order_acquire) == WorkerState::running;
  if (runs && pid > 0 && ::kill(pid, SIGSTOP) == 0) stopped_ = pid;
}

void StoppedWorker::resume() noexcept {
  if (stopped_ != 0) ::kill(std::exchange(stopped_, 0), SIGCONT);
}

}  // namespace laxity
