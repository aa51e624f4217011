// Runs a simulation on an engine whose parts are chosen at run time.
//
// The engines are templates of the model and of the pending-event set. run_on() instantiates all of them for a model, which
// takes GCC about twelve seconds. A model that is compiled often, or in several variants, spreads them over several
// units with run_sequential(), run_optimistic() and run_on_comparison_queue(); workloads/phold/engines.hpp is an example.
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
#include "laxity/timewarp/pending/comparison/ladder_queue.hpp"
#include "laxity/timewarp/pending/comparison/three_tier_heap.hpp"
#include "laxity/timewarp/pending/comparison/two_tier_ladder.hpp"
#include "laxity/timewarp/pending/heap_queue.hpp"
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

/// Runs the simulation on the optimistic engine. Throws what run() throws.
template <PendingSet Set, Model M>
[[nodiscard]] Result<M> run_optimistic(const Engine& engine, const Simulation<M>& simulation, const Watch& watch) {
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
    if (engine.exchange == ExchangeKind::attach) return run_over_attached_memory<Set>(simulation, options);
    if (has_queues(engine.exchange)) {
      const auto kind = engine.exchange == ExchangeKind::mutex       ? QueueKind::mutex
                        : engine.exchange == ExchangeKind::spin_lock ? QueueKind::spin_lock
                                                                     : QueueKind::lock_free;
      return run_over_queues<Set>(simulation, options, kind, engine.queues);
    }
  }
  return run<Set>(simulation, options);
}

/// Runs the simulation on the sequential engine, in a thread of its own, so that the calling thread can call `watch` and
/// receive signals. Throws what run_sequential() throws.
template <PendingSet Set, Model M>
[[nodiscard]] Result<M> run_sequential(const Engine& engine, const Simulation<M>& simulation, const Watch& watch) {
  std::atomic<std::uint64_t> time = 0, committed = 0;
  Result<M> result;
  Team team(
      {.threads = 1, .pin = engine.options.pin, .arena_bytes = std::size_t{1} << 20, .grace = engine.options.grace});
  const auto work = [&](Worker& worker) {
    const auto publish = [&](std::uint64_t now, std::uint64_t events) {
      time.store(now, std::memory_order_relaxed);
      committed.store(events, std::memory_order_relaxed);
      return !worker.stop_requested();
    };
    const WorkerOptions& options = engine.options.worker;
    result = run_sequential<Set>(
        simulation, SequentialOptions{.digest = options.digest, .watch = publish, .event_log = options.event_log});
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
[[nodiscard]] Result<M> run_on_queue(const Engine& engine, const Simulation<M>& simulation, const Watch& watch) {
  return engine.sequential ? run_sequential<Set>(engine, simulation, watch)
                           : run_optimistic<Set>(engine, simulation, watch);
}

/// Runs the simulation with the chosen pending-event set, which must not be the bucket queue.
template <Model M>
[[nodiscard]] Result<M> run_on_comparison_queue(const Engine& engine, const Simulation<M>& simulation,
                                                const Watch& watch) {
  switch (engine.queue) {
    case Queue::heap:
      return run_on_queue<HeapQueue<4>>(engine, simulation, watch);
    case Queue::ladder:
      return run_on_queue<LadderQueue>(engine, simulation, watch);
    case Queue::two_tier_ladder:
      return run_on_queue<TwoTierLadder>(engine, simulation, watch);
    case Queue::three_tier_heap:
      return run_on_queue<ThreeTierHeap>(engine, simulation, watch);
    case Queue::bucket:
      break;
  }
  throw UsageError("queue = bucket: not one of the pending-event sets for comparison");
}

/// Runs the simulation. Throws UsageError as check(), and what run() and run_sequential() throw.
template <Model M>
[[nodiscard]] Result<M> run_on(const Engine& engine, const Simulation<M>& simulation, const Watch& watch = {}) {
  check(engine, simulation.bounds.logical_processes);
  if (engine.queue == Queue::bucket) return run_on_queue<BucketQueue>(engine, simulation, watch);
  return run_on_comparison_queue(engine, simulation, watch);
}

}  // namespace laxity::timewarp
