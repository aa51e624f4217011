#include "laxity/launch/detail/rank_workers.hpp"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <thread>

#include "laxity/launch/detail/grace_period.hpp"
#include "laxity/launch/detail/rank_progress.hpp"
#include "laxity/launch/detail/stop_signals.hpp"
#include "laxity/launch/placement.hpp"
#include "laxity/launch/team.hpp"

namespace laxity::detail {
namespace {

constexpr std::chrono::milliseconds poll_period{
    1};  // of a thread whose worker has ended, while other hosts may wait for it
constexpr std::chrono::milliseconds signal_period{20};  // of the check for a second Ctrl-C

}  // namespace

void RankWorkers::run(const TeamOptions& options, const std::function<void()>& supervise) {
  std::exception_ptr failure;
  {
    const ThreadGroup others(task_, place_, 1);
    const std::jthread supervisor([&] {
      try {
        supervise_host(options, ranks_.map().leads_host() ? supervise : nullptr);
      } catch (...) {
        failure = std::current_exception();
        task_.memory.end_team();
        supervise_host(options, nullptr);
      }
    });
    {
      const KeepAffinity before;  // this thread belongs to the program, so its affinity is restored
      run_worker(task_, place_);
    }
    wait_for_host();
  }
  wait_for_other_hosts(options.grace);
  if (task_.memory.has_lost_a_worker()) {
    ranks_.note_loss();
    if (task_.status_carrier != nullptr) task_.status_carrier->send_all();
  }
  if (failure != nullptr) std::rethrow_exception(failure);
}

void RankWorkers::supervise_host(const TeamOptions& options, const std::function<void()>& supervise) const {
  GracePeriod grace(options.grace);
  while (!task_.memory.all_have_ended()) {
    const std::uint32_t ends = task_.memory.ends();
    detect_lost_ranks();
    if (grace.is_over(task_.memory))
      for (const int worker : task_.memory.holding_up_the_end()) task_.memory.worker_killed(worker, grace.complaint());
    if (nobody_ends_the_run()) task_.memory.end_team();
    if (supervise) supervise();
    if (task_.status_carrier != nullptr) task_.status_carrier->request_poll();
    task_.memory.wait_for_an_end(ends, options.tick);
  }
}

// A rank that has died was reaped by the launcher, so its process number is free. The lowest rank left on a host checks
// all of its ranks; the others check the ranks up to that one.
void RankWorkers::detect_lost_ranks() const {
  for (const int rank : ranks_.map().ranks_of(ranks_.map().host()))
    if (!detect_lost_workers(rank) && rank < ranks_.map().rank) return;
}

// The leader of this host exchanges its status; rank 0 decides when the run ends and writes the results.
bool RankWorkers::nobody_ends_the_run() const {
  const int leader = ranks_.map().ranks_of(ranks_.map().host()).front();
  return task_.memory.is_lost(0) || task_.memory.is_lost(leader * place_.threads);
}

bool RankWorkers::detect_lost_workers(int rank) const {
  bool lost = false;
  for (int thread = 0; thread < place_.threads; ++thread) {
    const int worker = rank * place_.threads + thread;
    const pid_t pid = task_.memory.table().worker(worker).pid.load(std::memory_order_relaxed);
    if (pid != 0 && !task_.memory.has_ended(worker) && ::kill(pid, 0) != 0 && errno == ESRCH)
      task_.memory.worker_killed(worker, "its process is gone");
    lost = lost || task_.memory.is_lost(worker);
  }
  return lost;
}

void RankWorkers::wait_for_host() const {
  while (!task_.memory.all_have_ended()) {
    const std::uint32_t ends = task_.memory.ends();
    if (StopSignals::count() > 1) StopSignals::die();
    if (task_.progress != nullptr) task_.progress->poll();
    if (task_.link_setup != nullptr) task_.link_setup->run_if_entered();
    task_.memory.wait_for_an_end(ends, task_.link_setup != nullptr ? poll_period : signal_period);
  }
}

// Sleeps between polls, since a wait inside MPI may occupy a processor that others need. Does not wait after a loss.
void RankWorkers::wait_for_other_hosts(std::chrono::milliseconds grace) const {
  if (task_.link_setup == nullptr) return;
  GracePeriod of_hosts(2 * grace);  // within the first period another host finds those of its own that do not end
  while (task_.status_carrier != nullptr ? !task_.status_carrier->all_hosts_have_ended()
                                         : !task_.memory.all_hosts_ended().load(std::memory_order_acquire)) {
    if (task_.memory.has_lost_a_worker()) return;
    if (StopSignals::count() > 1) StopSignals::die();
    if (task_.progress != nullptr) task_.progress->poll();
    if (task_.status_carrier != nullptr && of_hosts.is_over(task_.memory))
      task_.status_carrier->give_up_hosts(of_hosts.complaint());
    task_.link_setup->run_if_entered();
    std::this_thread::sleep_for(poll_period);
  }
  if (task_.status_carrier != nullptr) task_.memory.all_hosts_ended().store(true, std::memory_order_release);
}

}  // namespace laxity::detail
