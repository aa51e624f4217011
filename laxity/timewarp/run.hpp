// Runs a simulation optimistically on a team of workers: threads, forked processes, MPI ranks, or a mixture.
//
// Threads: as Team::run; one run at a time. Elsewhere: a run on one thread (sequential.hpp), a run replayed from a seed
// with adversarial delivery (replay/replayed_run.hpp), the work of one worker (optimistic_worker.hpp).
#pragma once

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/launch/ranks.hpp"
#include "laxity/launch/team.hpp"
#include "laxity/timewarp/exchange/any_exchange.hpp"
#include "laxity/timewarp/exchange/attach_exchange.hpp"
#include "laxity/timewarp/exchange/exchange.hpp"
#include "laxity/timewarp/exchange/queue_exchange.hpp"
#include "laxity/timewarp/exchange/ring_exchange.hpp"
#include "laxity/timewarp/exchange/shared_event.hpp"
#include "laxity/timewarp/gvt/gvt.hpp"
#include "laxity/timewarp/gvt/gvt_replica.hpp"
#include "laxity/timewarp/key.hpp"
#include "laxity/timewarp/log/digest.hpp"
#include "laxity/timewarp/model.hpp"
#include "laxity/timewarp/optimistic_worker.hpp"
#include "laxity/timewarp/pending/bucket_queue.hpp"
#include "laxity/timewarp/pending/pending_event.hpp"
#include "laxity/timewarp/result.hpp"
#include "laxity/timewarp/run_options.hpp"
#include "laxity/timewarp/state/available_memory.hpp"
#include "laxity/timewarp/state/event_pool.hpp"
#include "laxity/timewarp/statistics.hpp"

namespace laxity::timewarp {

namespace detail {

/// Throw UsageError for options that contradict the run.
void require_valid(const RunOptions& options);
void require_processes(const RunOptions& options);
void require_threads(const RunOptions& options, std::size_t queues_per_thread);

/// The options and the version that all ranks must have in common.
[[nodiscard]] std::vector<Fact> facts_about(const RunOptions& options);

/// The result of one worker, in memory shared with the process that collects the results.
struct WorkerResult {
  Statistics statistics;
  std::uint64_t digest = 0;
  std::uint64_t end =
      latest_key.time;  // bits of the time at which the model has ended the run; latest_key.time if it has not
  double seconds = 0;
};

template <Model M, PendingSet Set, Exchange<M> Link>
class TeamRun {
 public:
  /// `pending`: an empty set, which every worker copies; `make_link` gives each worker its exchange.
  TeamRun(const Simulation<M>& simulation, const RunOptions& options, const Set& pending,
          std::function<Link(Worker&)> make_link)
      : simulation_(simulation),
        options_(options),
        pending_(pending),
        make_link_(std::move(make_link)),
        team_(team_options(simulation, options)),
        worker_options_(worker_options(options)),
        loaned_(team_.size(), worker_options_.events, max_loans(worker_options_), worker_options_.memory) {
    const auto workers = static_cast<std::size_t>(team_.size());
    states_ = team_.arena().find_or_create(BlockKey("lp_states"), states_bytes(), [](std::byte*) {});
    gvt_state_ = reinterpret_cast<GvtSharedState*>(
        team_.arena().find_or_create(BlockKey("gvt"), GvtSharedState::bytes_needed(team_.size()), [](std::byte*) {}));
    results_ = reinterpret_cast<WorkerResult*>(
        team_.arena().find_or_create(BlockKey("tw_results"), workers * sizeof(WorkerResult), [](std::byte*) {}));
    if constexpr (ModelThatCollects<M>) {
      collectors_ = reinterpret_cast<CollectorsOf<M>*>(
          team_.arena().find_or_create(BlockKey("tw_collectors"), collectors_bytes(), [](std::byte*) {}));
    }
    live_ = reinterpret_cast<LiveStatistics*>(
        team_.arena().find_or_create(BlockKey("tw_live"), workers * sizeof(LiveStatistics), [](std::byte*) {}));
  }

  [[nodiscard]] Result<M> run() {
    const auto watch = [this] {
      if (options_.watch) options_.watch({live_, static_cast<std::size_t>(team_.size())});
    };
    const TeamReport report = team_.run([this](Worker& worker) { work(worker); }, watch);
    if (report.interrupted) throw Interrupted(report.interruption());
    if (!report.all_finished()) throw Error(report.losses());
    team_.allreduce_or({states_, states_bytes()});
    team_.allreduce_or(
        {reinterpret_cast<std::byte*>(results_), static_cast<std::size_t>(team_.size()) * sizeof(WorkerResult)});
    if constexpr (ModelThatCollects<M>)
      team_.allreduce_or({reinterpret_cast<std::byte*>(collectors_), collectors_bytes()});
    return collect();
  }

 private:
  static TeamOptions team_options(const Simulation<M>& simulation, const RunOptions& options) {
    if (options.ranks == nullptr) {
      require_valid(options, simulation.bounds);
    } else {
      std::vector<Fact> facts;
      options.ranks->agree([&] {
        require_valid(options, simulation.bounds);
        facts = facts_of(simulation, options);
      });
      require_equal_on_ranks(*options.ranks, facts);
    }
    const int workers = options.process_count() * options.threads;
    TeamOptions team;
    team.ranks = options.ranks;
    team.threads = options.threads;
    team.processes = options.processes;
    team.pin = options.pin;
    team.grace = options.grace;
    team.arena_bytes = (std::size_t{16} << 20) + RingExchange<M>::arena_bytes(workers, options.ring_depth) +
                       simulation.bounds.logical_processes * sizeof(typename M::State) +
                       static_cast<std::size_t>(workers) * sizeof(CollectorsOf<M>);
    return team;
  }

  static WorkerOptions worker_options(const RunOptions& options) {
    WorkerOptions worker = options.worker;
    const auto workers = static_cast<std::size_t>(options.workers_on_host());
    worker.max_memory = std::min(worker.max_memory, memory_or_default(options.max_memory) / workers);
    return worker;
  }

  // Events that find no room are copied, so a quarter of the memory is enough.
  static std::size_t max_loans(const WorkerOptions& options) noexcept {
    return EventPool<SharedEvent<typename M::Event>>::fitting_in(options.max_memory / 4, options.max_events);
  }

  static void require_valid(const RunOptions& options, const Bounds<M>& bounds) {
    timewarp::require_valid(bounds);
    detail::require_valid(options);
  }

  // What all ranks must have in common. The parameters of a model are compared by what process 0 does in init().
  static std::vector<Fact> facts_of(const Simulation<M>& simulation, const RunOptions& options) {
    const auto state = std::make_unique<LpState<M>>();  // may be too large for the stack
    Context<M> context(simulation.model, simulation.bounds);
    state->random = first_random<M>(simulation.seed, 0);
    context.begin(0, earliest_key, *state, true);
    call_init(simulation.model, context);
    std::vector<Fact> facts = facts_about(options);
    facts.insert(facts.end(), {{"model", typeid(M).name()},
                               {"exchange and pending-event set", typeid(TeamRun).name()},
                               {"number of logical processes", std::to_string(simulation.bounds.logical_processes)},
                               {"end time", std::to_string(simulation.bounds.end_time)},
                               {"seed", std::to_string(simulation.seed)},
                               {"lookahead", std::to_string(context.lookahead())},
                               {"hash of what init() of process 0 does",
                                std::to_string(outcome_digest(simulation.model, context, *state))}});
    return facts;
  }

  void work(Worker& worker) {
    Link link = make_link_(worker);
    const Partition partition(simulation_.bounds.logical_processes, worker.size());
    std::optional<GvtReplica> replica;
    if (worker.remote_links() != nullptr) replica.emplace(worker);
    GvtSharedState& shared = replica ? replica->shared_state() : *gvt_state_;
    OptimisticWorker<M, Set, Link> self(simulation_, partition, worker.id(), Gvt(shared, worker.id(), worker.size()),
                                        link, worker_options_, loaned_.of(worker.id()), pending_);
    self.start();
    if (!worker.barrier()) return;
    const auto start = std::chrono::steady_clock::now();
    int idle_turns = 0;
    while (self.turn() && !worker.stop_requested()) {
      idle_turns = self.was_idle() ? idle_turns + 1 : 0;
      if (idle_turns > idle_turns_before_yield) sched_yield();
      if (replica) replica->exchange();
      worker.update_done();
      publish(self, worker);
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    self.finish();
    publish(self, worker);
    const std::uint64_t end = self.gvt().has_end() ? self.gvt().end() : latest_key.time;
    results_[worker.id()] = {self.statistics(), self.digest(), end, elapsed.count()};
    if constexpr (ModelThatCollects<M>) collectors_[worker.id()] = self.collectors();
    auto* states = reinterpret_cast<typename M::State*>(states_) + partition.first(worker.id());
    for (std::size_t i = 0; i < self.processes(); ++i) states[i] = self.state(i);
    // Other workers may wait for the last report, and may still read events of this worker.
    while (replica && !replica->exchange() && !worker.stop_requested()) sched_yield();
    static_cast<void>(worker.barrier());
  }

  [[nodiscard]] std::size_t states_bytes() const noexcept {
    return simulation_.bounds.logical_processes * sizeof(typename M::State);
  }

  [[nodiscard]] std::size_t collectors_bytes() const noexcept {
    return static_cast<std::size_t>(team_.size()) * sizeof(CollectorsOf<M>);
  }

  void publish(const OptimisticWorker<M, Set, Link>& self, const Worker& worker) noexcept {
    LiveStatistics& live = live_[worker.id()];
    if (live.gvt_rounds.load(std::memory_order_relaxed) == self.gvt().rounds()) return;
    const auto set = [](std::atomic<std::uint64_t>& count, std::uint64_t value) {
      count.store(value, std::memory_order_relaxed);
    };
    const Statistics& statistics = self.statistics();
    set(live.gvt_time, self.gvt().value().time);
    set(live.gvt_rounds, self.gvt().rounds());
    set(live.committed, statistics.committed);
    set(live.processed, statistics.processed);
    set(live.rolled_back, statistics.rolled_back);
    set(live.rollbacks, statistics.primary_rollbacks + statistics.secondary_rollbacks);
    set(live.remote_events, statistics.remote_events);
    set(live.anti_messages, statistics.anti_messages);
    set(live.events_in_use, self.events_in_use());
    WorkerCounters& counters = worker.counter_table().worker(worker.id());  // published to other processes
    counters.events_processed.set(statistics.processed);
    counters.events_committed.set(statistics.committed);
    counters.gvt.store(static_cast<double>(TimeBits<typename M::Time>::time(self.gvt().value().time)),
                       std::memory_order_relaxed);
  }

  [[nodiscard]] Result<M> collect() const {
    Result<M> result{.states = {}, .workers = {}, .collectors = first_collectors(simulation_.model)};
    const auto* states = reinterpret_cast<const typename M::State*>(states_);
    result.states.assign(states, states + simulation_.bounds.logical_processes);
    for (int worker = 0; worker < team_.size(); ++worker) {
      result.workers.push_back(results_[worker].statistics);
      result.digest += results_[worker].digest;
      if constexpr (ModelThatCollects<M>) result.collectors.merge(collectors_[worker]);
      result.seconds = std::max(result.seconds, results_[worker].seconds);
    }
    if (results_[0].end != latest_key.time) result.ended_at = TimeBits<typename M::Time>::time(results_[0].end);
    if (options_.ranks == nullptr || options_.ranks->is_first()) call_finish(simulation_.model, result.states);
    return result;
  }

  static constexpr int idle_turns_before_yield = 64;

  const Simulation<M>& simulation_;
  const RunOptions& options_;
  const Set& pending_;
  std::function<Link(Worker&)> make_link_;
  Team team_;
  WorkerOptions worker_options_;
  LoanedEventsOfWorkers<typename M::Event> loaned_;
  std::byte* states_;
  GvtSharedState* gvt_state_;
  WorkerResult* results_;
  CollectorsOf<M>* collectors_ = nullptr;
  LiveStatistics* live_;
};

}  // namespace detail

/// Runs the simulation on threads * max(1, processes) workers; commits what run_sequential() commits. `pending`: an
/// empty set, which every worker copies. Throws UsageError for impossible options, Error that names the worker if one
/// fails or is killed or if event memory is used up, Interrupted on Ctrl-C.
template <PendingSet Set = BucketQueue, Model M>
[[nodiscard]] Result<M> run(const Simulation<M>& simulation, const RunOptions& options, const Set& pending = {}) {
  return detail::TeamRun<M, Set, RingExchange<M>>(
             simulation, options, pending, [&](Worker& worker) { return RingExchange<M>(worker, options.ring_depth); })
      .run();
}

/// As run(), with processes or ranks that read the payloads of events in the memory of the sender
/// (attach_exchange.hpp). Also throws UsageError if there is only one process, and Error if the system does not permit
/// the access.
template <Model M>
[[nodiscard]] Result<M> run_over_attached_memory(const Simulation<M>& simulation, const RunOptions& options) {
  detail::require_processes(options);
  if constexpr (is_shareable<typename M::Event>) {
    return detail::TeamRun<M, BucketQueue, AnyExchange<M>>(
               simulation, options, {},
               [&](Worker& worker) {
                 return AnyExchange<M>(std::make_unique<AttachExchange<M>>(worker, options.ring_depth));
               })
        .run();
  } else {
    return run(simulation, options);  // the address would be larger than the payload
  }
}

/// As run(), with threads that exchange events through `per_thread` queues each (queue_exchange.hpp), for comparison.
/// Also throws UsageError if there are several processes.
template <Model M>
[[nodiscard]] Result<M> run_over_queues(const Simulation<M>& simulation, const RunOptions& options, QueueKind kind,
                                        std::size_t per_thread) {
  detail::require_threads(options, per_thread);
  EventQueues<M> queues(options.threads, kind, per_thread);
  return detail::TeamRun<M, BucketQueue, AnyExchange<M>>(
             simulation, options, {},
             [&](Worker& worker) { return AnyExchange<M>(std::make_unique<QueueExchange<M>>(queues, worker.id())); })
      .run();
}

}  // namespace laxity::timewarp
