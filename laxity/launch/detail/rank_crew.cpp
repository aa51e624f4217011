#include "laxity/launch/detail/rank_crew.hpp"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <thread>

#include "laxity/launch/detail/stop_signals.hpp"
#include "laxity/launch/placement.hpp"

namespace laxity::detail {
namespace {

constexpr std::chrono::milliseconds between_turns{1};  // when others may wait for this thread, whose worker has ended
constexpr std::chrono::milliseconds between_looks{20};

}  // namespace

void RankCrew::run(std::chrono::milliseconds tick, const std::function<void()>& supervise) {
  std::exception_ptr failure;
  {
    const ThreadCrew others(job_, place_, 1);
    const std::jthread supervisor([&] {
      try {
        supervise_host(tick, ranks_.map().leads_host() ? supervise : nullptr);
      } catch (...) {
        failure = std::current_exception();
        job_.memory.break_up();
        supervise_host(tick, nullptr);
      }
    });
    {
      const KeepAffinity before;  // this thread is the program's: the next team shall not find it pinned
      run_worker(job_, place_);
    }
    wait_for_host();
  }
  wait_for_other_hosts();
  if (job_.memory.has_lost_a_worker()) {
    ranks_.note_loss();
    if (job_.status_carrier != nullptr) job_.status_carrier->tell_all();
  }
  if (failure != nullptr) std::rethrow_exception(failure);
}

void RankCrew::supervise_host(std::chrono::milliseconds tick, const std::function<void()>& supervise) const {
  while (!job_.memory.all_have_ended()) {
    const std::uint32_t ends = job_.memory.ends();
    notice_lost_ranks();
    if (nobody_ends_the_run()) job_.memory.break_up();
    if (supervise) supervise();
    if (job_.status_carrier != nullptr) job_.status_carrier->ask();
    job_.memory.wait_for_an_end(ends, tick);
  }
}

// The launcher has reaped a rank that died, so that its number stands for no process. The lowest rank that is left watches
// all of its host, the others only whether it is there.
void RankCrew::notice_lost_ranks() const {
  for (const int rank : ranks_.map().ranks_of(ranks_.map().host()))
    if (!notice_lost_workers(rank) && rank < ranks_.map().rank) return;
}

// The rank that leads this host brings the news; rank 0 watches the time and writes down what came of it.
bool RankCrew::nobody_ends_the_run() const {
  const int leader = ranks_.map().ranks_of(ranks_.map().host()).front();
  return job_.memory.is_lost(0) || job_.memory.is_lost(leader * place_.threads);
}

bool RankCrew::notice_lost_workers(int rank) const {
  bool lost = false;
  for (int thread = 0; thread < place_.threads; ++thread) {
    const int worker = rank * place_.threads + thread;
    const pid_t pid = job_.memory.table().worker(worker).pid.load(std::memory_order_relaxed);
    if (pid != 0 && !job_.memory.has_ended(worker) && ::kill(pid, 0) != 0 && errno == ESRCH)
      job_.memory.worker_killed(worker, "its process is gone");
    lost = lost || job_.memory.is_lost(worker);
  }
  return lost;
}

void RankCrew::wait_for_host() const {
  while (!job_.memory.all_have_ended()) {
    const std::uint32_t ends = job_.memory.ends();
    if (StopSignals::count() > 1) StopSignals::die();
    if (job_.status_carrier != nullptr) job_.status_carrier->turn();
    if (job_.link_setup != nullptr) job_.link_setup->stand_in();
    job_.memory.wait_for_an_end(ends, job_.link_setup != nullptr ? between_turns : between_looks);
  }
}

// Asleep, since a wait inside the MPI may keep a processor busy that others need. After a loss nobody waits.
void RankCrew::wait_for_other_hosts() const {
  if (job_.link_setup == nullptr) return;
  while (job_.status_carrier != nullptr ? !job_.status_carrier->all_is_over()
                                        : !job_.memory.over().load(std::memory_order_acquire)) {
    if (job_.memory.has_lost_a_worker()) return;
    if (StopSignals::count() > 1) StopSignals::die();
    if (job_.status_carrier != nullptr) job_.status_carrier->turn();
    job_.link_setup->stand_in();
    std::this_thread::sleep_for(between_turns);
  }
  if (job_.status_carrier != nullptr) job_.memory.over().store(true, std::memory_order_release);
}

}  // namespace laxity::detail
