// Runs a simulation optimistically on virtual workers in this thread, on a schedule from a seed: a run that can be
// replayed exactly, with many more rollbacks than on real cores.
//
// After every turn the invariants of GVT are checked: it has not decreased, and no pending event and no message in
// flight lies below it, which only a run in one thread can verify. At the end no record and no shared event may be in
// use.
//
// Threads: one. Elsewhere: the schedule (replay_schedule.hpp), the workers (optimistic_worker.hpp), runs on threads and
// processes (run.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/random.hpp"
#include "laxity/timewarp/exchange/exchange.hpp"
#include "laxity/timewarp/exchange/loaned_events.hpp"
#include "laxity/timewarp/gvt/gvt.hpp"
#include "laxity/timewarp/key.hpp"
#include "laxity/timewarp/model.hpp"
#include "laxity/timewarp/optimistic_worker.hpp"
#include "laxity/timewarp/partition.hpp"
#include "laxity/timewarp/pending/bucket_queue.hpp"
#include "laxity/timewarp/pending/pending_event.hpp"
#include "laxity/timewarp/replay/replay_schedule.hpp"
#include "laxity/timewarp/replay/replayed_exchange.hpp"
#include "laxity/timewarp/result.hpp"
#include "laxity/timewarp/worker_options.hpp"

namespace laxity::timewarp {

struct ReplayOptions {
  int workers = 2;
  std::uint64_t seed = 1;                              ///< of the schedule; the simulation has its own
  WorkerOptions worker = {};                           ///< turn: the maximum, each worker draws its own
  std::uint64_t max_turns_without_progress = 1 << 20;  ///< of GVT; after more turns the run fails
};

namespace detail {

template <Model M, PendingSet Set>
class ReplayedTeam {
 public:
  ReplayedTeam(const Simulation<M>& simulation, const ReplayOptions& options)
      : simulation_(simulation),
        options_(options),
        schedule_(options.workers, options.seed),
        network_(options.workers),
        gvt_memory_(GvtSharedState::bytes_needed(options.workers) / sizeof(Line)),
        loaned_(options.workers, options.worker.events, options.worker.max_events, options.worker.memory),
        gvt_(static_cast<std::size_t>(options.workers), earliest_key) {
    auto& shared = *reinterpret_cast<GvtSharedState*>(gvt_memory_.data());
    const Partition partition(simulation.bounds.logical_processes, options.workers);
    SeededRandom random(~options.seed);
    for (int worker = 0; worker < options.workers; ++worker) {
      WorkerOptions own = options.worker;
      own.turn = 1 + random.below(static_cast<std::uint32_t>(own.turn));
      links_.push_back(std::make_unique<ReplayedExchange<M>>(network_, worker));
      workers_.push_back(std::make_unique<VirtualWorker>(simulation_, partition, worker,
                                                         Gvt(shared, worker, options.workers), *links_.back(), own,
                                                         loaned_.of(worker)));
    }
  }

  [[nodiscard]] Result<M> run() {
    for (auto& worker : workers_) worker->start();
    while (!std::all_of(workers_.begin(), workers_.end(), [](const auto& w) { return w->gvt().finished(); })) {
      const int turn_of = schedule_.next_worker();
      deliver_to(turn_of);
      VirtualWorker& worker = *workers_[static_cast<std::size_t>(turn_of)];
      if (!worker.gvt().finished()) static_cast<void>(worker.turn());
      check_gvt();
    }
    return collect();
  }

 private:
  using VirtualWorker = OptimisticWorker<M, Set, ReplayedExchange<M>>;
  struct alignas(64) Line {
    std::byte bytes[64];
  };

  void deliver_to(int worker) {
    for (int from = 0; from < options_.workers; ++from) {
      const std::size_t in_flight = network_.in_flight(from, worker);
      if (in_flight > 0) network_.arrive(from, worker, schedule_.arriving(from, worker, in_flight));
    }
  }

  void check_gvt() {
    Key least = network_.min_instant();
    for (auto& worker : workers_) least = std::min(least, worker->min_pending());
    bool progress = false;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      const Key value = workers_[i]->gvt().value();
      if (value < gvt_[i]) fail("GVT of worker " + std::to_string(i) + " has decreased");
      if (least < value) fail("GVT of worker " + std::to_string(i) + " lies beyond an event that is not processed");
      progress |= gvt_[i] < value;
      gvt_[i] = value;
    }
    without_progress_ = progress ? 0 : without_progress_ + 1;
    if (without_progress_ > options_.max_turns_without_progress) fail("GVT does not progress");
  }

  [[nodiscard]] Result<M> collect() {
    Result<M> result{.states = {}, .workers = {}, .collectors = first_collectors(simulation_.model)};
    for (auto& worker : workers_) {
      worker->finish();
      if (worker->events_in_use() != 0) fail(std::to_string(worker->events_in_use()) + " records are still in use");
      for (std::size_t i = 0; i < worker->processes(); ++i) result.states.push_back(worker->state(i));
      result.workers.push_back(worker->statistics());
      result.digest += worker->digest();
      result.collectors.merge(worker->collectors());
      if (worker->gvt().has_end()) result.ended_at = TimeBits<typename M::Time>::time(worker->gvt().end());
    }
    // Events that were in flight when the model ended the run were never received, and so cannot be released.
    if (loaned_.in_use() != network_.shared())
      fail(std::to_string(loaned_.in_use()) + " shared events were not released");
    call_finish(simulation_.model, result.states);
    return result;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(what + " (" + std::to_string(options_.workers) + " virtual workers, seed " +
                std::to_string(options_.seed) + ")");
  }

  const Simulation<M>& simulation_;
  ReplayOptions options_;
  ReplaySchedule schedule_;
  ReplayedNetwork<M> network_;
  std::vector<Line> gvt_memory_;
  std::vector<std::unique_ptr<ReplayedExchange<M>>> links_;
  LoanedEventsOfWorkers<typename M::Event> loaned_;
  std::vector<std::unique_ptr<VirtualWorker>> workers_;
  std::vector<Key> gvt_;  // of each worker, after its last turn
  std::uint64_t without_progress_ = 0;
};

}  // namespace detail

/// Runs the simulation; commits the same events as run_sequential(). Throws Error, with the seed, if an invariant of
/// GVT is violated, if GVT makes no progress, or if records or shared events are not released; Error if event memory is
/// used up; and what the model throws.
template <PendingSet Set = BucketQueue, Model M>
[[nodiscard]] Result<M> run_replayed(const Simulation<M>& simulation, const ReplayOptions& options) {
  return detail::ReplayedTeam<M, Set>(simulation, options).run();
}

}  // namespace laxity::timewarp
