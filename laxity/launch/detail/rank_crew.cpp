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
    std::jthread supervisor;
    if (ranks_.map().leads_node()) {
      supervisor = std::jthread([&] {
        try {
          supervise_node(tick, supervise);
        } catch (...) {
          failure = std::current_exception();
          job_.memory.break_up();
          supervise_node(tick, {});
        }
      });
    }
    {
      const KeepAffinity before;  // this thread is the program's: the next team shall not find it pinned
      run_worker(job_, place_);
    }
    wait_for_node();
  }
  if (has_lost_a_rank())
    ranks_.note_loss();
  else
    wait_for_other_nodes();
  if (failure != nullptr) std::rethrow_exception(failure);
}

void RankCrew::supervise_node(std::chrono::milliseconds tick, const std::function<void()>& supervise) const {
  while (!job_.memory.all_have_ended()) {
    const std::uint32_t ends = job_.memory.ends();
    notice_lost_ranks();
    if (supervise) supervise();
    if (job_.courier != nullptr) job_.courier->ask();
    job_.memory.wait_for_an_end(ends, tick);
  }
}

// The launcher has reaped a rank that died, so that its number stands for no process.
void RankCrew::notice_lost_ranks() const {
  for (const int rank : ranks_.map().ranks_of(ranks_.map().node())) {
    for (int thread = 0; thread < place_.threads; ++thread) {
      const int worker = rank * place_.threads + thread;
      const pid_t pid = job_.memory.table().worker(worker).pid.load(std::memory_order_relaxed);
      if (pid != 0 && !job_.memory.has_ended(worker) && ::kill(pid, 0) != 0 && errno == ESRCH)
        job_.memory.worker_killed(worker, "its process is gone");
    }
  }
}

bool RankCrew::has_lost_a_rank() const {
  const CounterTable table = job_.memory.table();
  for (int worker = 0; worker < table.workers(); ++worker)
    if (table.worker(worker).state.load(std::memory_order_acquire) == WorkerState::killed) return true;
  return false;
}

void RankCrew::wait_for_node() const {
  while (!job_.memory.all_have_ended()) {
    const std::uint32_t ends = job_.memory.ends();
    if (StopSignals::count() > 1) StopSignals::die();
    if (job_.courier != nullptr) job_.courier->turn();
    if (job_.wiring != nullptr) job_.wiring->stand_in();
    job_.memory.wait_for_an_end(ends, job_.wiring != nullptr ? between_turns : between_looks);
  }
}

// Asleep, since a wait inside the MPI may keep a processor busy that others need.
void RankCrew::wait_for_other_nodes() const {
  if (job_.wiring == nullptr) return;
  while (job_.courier != nullptr ? !job_.courier->all_is_over() : !job_.memory.over().load(std::memory_order_acquire)) {
    if (StopSignals::count() > 1) StopSignals::die();
    if (job_.courier != nullptr) job_.courier->turn();
    job_.wiring->stand_in();
    std::this_thread::sleep_for(between_turns);
  }
  if (job_.courier != nullptr) job_.memory.over().store(true, std::memory_order_release);
}

}  // namespace laxity::detail
