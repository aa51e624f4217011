// Runs a simulation on an engine whose parts are chosen at run time.
//
// The engines are templates of the model, of the pending-event set and of the exchange. run_on() instantiates five of
// them for a model: the recommended set and exchange have engines of their own; all others share one
// (comparison_set.hpp, any_exchange.hpp).
//
// Threads: as Team::run, one run at a time. Elsewhere: the parts of an engine (engine.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/launch/team.hpp"
#include "laxity/timewarp/engine.hpp"
#include "laxity/timewarp/key.hpp"
#include "laxity/timewarp/model.hpp"
#include "laxity/timewarp/pending/bucket_queue.hpp"
#include "laxity/timewarp/pending/comparison/comparison_set.hpp"
#include "laxity/timewarp/pending/pending_event.hpp"
#include "laxity/timewarp/result.hpp"
#include "laxity/timewarp/run.hpp"
#include "laxity/timewarp/sequential.hpp"

namespace laxity::timewarp {

namespace detail {

template <class Time>
double gvt_of(std::uint64_t bits, Time end_time) noexcept {
  const Time time = TimeBits<Time>::time(bits);
  return static_cast<double>(time >= 0 && time < end_time ? time : end_time);  // GVT ends beyond all times
}

}  // namespace detail

/// Runs the simulation on the optimistic engine; `pending`: an empty set. Throws what run() throws.
template <PendingSet Set, Model M>
[[nodiscard]] Result<M> run_optimistic(const Engine& engine, const Simulation<M>& simulation, const Watch& watch,
                                       const Set& pending = {}) {
  RunOptions options = engine.options;
  options.watch = [&](std::span<const LiveStatistics> live) {
    if (!watch) return;
    std::vector<Progress> workers;
    for (const LiveStatistics& worker : live) {
      workers.push_back(detail::progress_of(worker));
      const std::uint64_t bits = worker.gvt_time.load(std::memory_order_relaxed);
      workers.back().gvt = detail::gvt_of<typename M::Time>(bits, simulation.bounds.end_time);
    }
    watch(workers);
  };
  if constexpr (std::is_same_v<Set, BucketQueue>) {
    if (engine.exchange == ExchangeKind::attach) return run_over_attached_memory(simulation, options);
    if (has_queues(engine.exchange)) {
      const auto kind = engine.exchange == ExchangeKind::mutex       ? QueueKind::mutex
                        : engine.exchange == ExchangeKind::spin_lock ? QueueKind::spin_lock
                                                                     : QueueKind::lock_free;
      return run_over_queues(simulation, options, kind, engine.queues);
    }
  }
  return run(simulation, options, pending);
}

/// Runs the simulation on the sequential engine, in a thread of its own, so that the calling thread can call `watch`
/// and receive signals. Throws what run_sequential() throws.
template <PendingSet Set, Model M>
[[nodiscard]] Result<M> run_sequential(const Engine& engine, const Simulation<M>& simulation, const Watch& watch,
                                       const Set& pending = {}) {
  std::atomic<std::uint64_t> time = 0, committed = 0;
  Result<M> result{.states = {}, .workers = {}, .collectors = first_collectors(simulation.model)};
  Team team(
      {.threads = 1, .pin = engine.options.pin, .arena_bytes = std::size_t{1} << 20, .grace = engine.options.grace});
  const auto work = [&](Worker& worker) {
    const auto publish = [&](std::uint64_t now, std::uint64_t events) {
      time.store(now, std::memory_order_relaxed);
      committed.store(events, std::memory_order_relaxed);
      return !worker.stop_requested();
    };
    const WorkerOptions& options = engine.options.worker;
    result = run_sequential(simulation,
                            SequentialOptions{.digest = options.digest,
                                              .max_memory = engine.options.max_memory,
                                              .watch = publish,
                                              .event_log = options.event_log},
                            pending);
  };
  const TeamReport report = team.run(work, [&] {
    Progress progress;
    progress.gvt = detail::gvt_of<typename M::Time>(time.load(std::memory_order_relaxed), simulation.bounds.end_time);
    progress.counts.committed = progress.counts.processed = committed.load(std::memory_order_relaxed);
    if (watch) watch({progress});
  });
  if (report.interrupted) throw Interrupted(report.interruption());
  if (!report.all_finished()) throw Error(report.losses());
  return result;
}

/// Runs the simulation on the sequential or on the optimistic engine. Throws what they throw.
template <PendingSet Set, Model M>
[[nodiscard]] Result<M> run_on_set(const Engine& engine, const Simulation<M>& simulation, const Watch& watch,
                                   const Set& pending) {
  return engine.sequential ? run_sequential(engine, simulation, watch, pending)
                           : run_optimistic(engine, simulation, watch, pending);
}

/// Runs the simulation. Throws UsageError as check(), and what run() and run_sequential() throw.
template <Model M>
[[nodiscard]] Result<M> run_on(const Engine& engine, const Simulation<M>& simulation, const Watch& watch = {}) {
  check(engine, simulation.bounds.logical_processes);
  if (engine.queue == Queue::bucket) return run_on_set(engine, simulation, watch, BucketQueue());
  return run_on_set(engine, simulation, watch, ComparisonSet(engine.queue));
}

}  // namespace laxity::timewarp
