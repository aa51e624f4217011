// An engine with all its parts, chosen at run time: what a command line or a study varies.
//
// The engines are templates of the model and of the pending-event set; run_on() makes them all for a model and picks
// one, whichever commits the same events. A sequential run is watched and hears Ctrl-C as any other.
//
// Threads: as Team::run, one run at a time. Elsewhere: the engines (sequential.hpp, run.hpp); who knows at compile time
// what it wants, calls those.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "laxity/launch/team.hpp"
#include "laxity/timewarp/pending/comparison/ladder_queue.hpp"
#include "laxity/timewarp/pending/comparison/three_tier_heap.hpp"
#include "laxity/timewarp/pending/comparison/two_tier_ladder.hpp"
#include "laxity/timewarp/pending/heap_queue.hpp"
#include "laxity/timewarp/run.hpp"
#include "laxity/timewarp/sequential.hpp"

namespace laxity::timewarp {

/// The pending-event sets.
enum class Queue { bucket, heap, ladder, two_tier_ladder, three_tier_heap };
inline constexpr std::array all_queues = {Queue::bucket, Queue::heap, Queue::ladder, Queue::two_tier_ladder,
                                          Queue::three_tier_heap};

/// How workers exchange events: rings between two, for threads also queues that all share (queue_exchange.hpp), for
/// processes also rings with payloads read out of the sender's memory (attach_exchange.hpp).
enum class ExchangeKind { rings, mutex, spin_lock, lock_free, attach };
inline constexpr std::array all_exchanges = {ExchangeKind::rings, ExchangeKind::mutex, ExchangeKind::spin_lock,
                                             ExchangeKind::lock_free, ExchangeKind::attach};
/// Whether it is through queues, of which each thread has several.
[[nodiscard]] constexpr bool has_queues(ExchangeKind exchange) noexcept {
  return exchange != ExchangeKind::rings && exchange != ExchangeKind::attach;
}
inline constexpr std::array all_optimisms = {Optimism::none, Optimism::adaptive, Optimism::scale_free};
inline constexpr std::array all_sent_events = {SentEvents::copied, SentEvents::shared};
inline constexpr std::array all_memory_placements = {MemoryPlacement::local, MemoryPlacement::interleaved};
inline constexpr std::array all_state_savings = {StateSaving::copy, StateSaving::periodic, StateSaving::reverse};

/// "bucket", "heap", "ladder", "two-tier-ladder", "three-tier-heap".
[[nodiscard]] std::string_view name_of(Queue queue) noexcept;
/// "rings", "mutex", "spin-lock", "lock-free", "attach".
[[nodiscard]] std::string_view name_of(ExchangeKind exchange) noexcept;
/// "none", "adaptive", "scale-free".
[[nodiscard]] std::string_view name_of(Optimism optimism) noexcept;
/// "copied", "shared".
[[nodiscard]] std::string_view name_of(SentEvents events) noexcept;
/// "local", "interleaved".
[[nodiscard]] std::string_view name_of(MemoryPlacement placement) noexcept;
/// "copy", "periodic", "reverse".
[[nodiscard]] std::string_view name_of(StateSaving saving) noexcept;

struct Engine {
  bool sequential = false;  ///< one thread, no rollback; of the rest only queue, digest and event log count then
  Queue queue = Queue::bucket;
  ExchangeKind exchange = ExchangeKind::rings;  ///< others only with the bucket queue
  std::size_t queues = 1;                       ///< of each thread, if it has queues
  RunOptions options;                           ///< its `watch` is not used

  [[nodiscard]] int workers() const noexcept { return sequential ? 1 : options.threads * options.process_count(); }
};

/// "sequential", "2t", "2p", "2p3t", "2r3t".
[[nodiscard]] std::string team_of(const Engine& engine);

/// Throws UsageError, naming the option of the command line, if the engine makes no sense for so many processes.
void check(const Engine& engine, LpId logical_processes);

/// What a worker has done so far. A sequential run has one worker, whose events are all final.
struct Progress {
  double gvt = 0;  ///< at most the end time
  Statistics counts;
  std::uint64_t events_in_use = 0;  ///< records of the optimistic engine; 0 in a sequential run
};

/// Called in the calling thread about every 20 ms, with the progress of each worker.
using Watch = std::function<void(const std::vector<Progress>&)>;

/// Which sets run_on() makes for a model: each costs the compiler about a second.
enum class Sets { all, bucket_only };

namespace detail {

template <class Time>
double gvt_of(std::uint64_t bits, Time end_time) noexcept {
  const Time time = TimeBits<Time>::time(bits);
  return static_cast<double>(time >= 0 && time < end_time ? time : end_time);  // GVT ends beyond all times
}

/// What one worker shows, without its GVT.
[[nodiscard]] Progress progress_of(const LiveStatistics& live) noexcept;

template <class Set, Model M>
Result<M> run_team(const Engine& engine, const Simulation<M>& simulation, const Watch& watch) {
  RunOptions options = engine.options;
  options.watch = [&](std::span<const LiveStatistics> live) {
    if (!watch) return;
    std::vector<Progress> workers;
    for (const LiveStatistics& worker : live) {
      workers.push_back(progress_of(worker));
      const std::uint64_t bits = worker.gvt_time.load(std::memory_order_relaxed);
      workers.back().gvt = gvt_of<typename M::Time>(bits, simulation.bounds.end_time);
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

// In a thread of its own, so that this one can watch and hear Ctrl-C as with any other team.
template <class Set, Model M>
Result<M> run_alone(const Engine& engine, const Simulation<M>& simulation, const Watch& watch) {
  std::atomic<std::uint64_t> time = 0, committed = 0;
  Result<M> result;
  Team team({.threads = 1, .pin = engine.options.pin, .arena_bytes = std::size_t{1} << 20});
  const auto work = [&](Worker& worker) {
    const auto look = [&](std::uint64_t now, std::uint64_t so_far) {
      time.store(now, std::memory_order_relaxed);
      committed.store(so_far, std::memory_order_relaxed);
      return !worker.stop_requested();
    };
    const WorkerOptions& options = engine.options.worker;
    result = run_sequential<Set>(simulation, {.digest = options.digest, .watch = look, .event_log = options.event_log});
  };
  const TeamReport report = team.run(work, [&] {
    Progress progress;
    progress.gvt = gvt_of<typename M::Time>(time.load(std::memory_order_relaxed), simulation.bounds.end_time);
    progress.counts.committed = progress.counts.processed = committed.load(std::memory_order_relaxed);
    if (watch) watch({progress});
  });
  if (report.interrupted) throw Interrupted();
  if (!report.all_finished()) throw Error(report.losses());
  return result;
}

template <class Set, Model M>
Result<M> run_with(const Engine& engine, const Simulation<M>& simulation, const Watch& watch) {
  return engine.sequential ? run_alone<Set>(engine, simulation, watch) : run_team<Set>(engine, simulation, watch);
}

}  // namespace detail

/// Runs the simulation. Throws UsageError as check() or if the set was not made, and what run() and run_sequential()
/// throw.
template <Sets sets = Sets::all, Model M>
[[nodiscard]] Result<M> run_on(const Engine& engine, const Simulation<M>& simulation, const Watch& watch = {}) {
  check(engine, simulation.bounds.logical_processes);
  if (engine.queue == Queue::bucket) return detail::run_with<BucketQueue>(engine, simulation, watch);
  if constexpr (sets == Sets::all) {
    switch (engine.queue) {
      case Queue::heap:
        return detail::run_with<HeapQueue<4>>(engine, simulation, watch);
      case Queue::ladder:
        return detail::run_with<LadderQueue>(engine, simulation, watch);
      case Queue::two_tier_ladder:
        return detail::run_with<TwoTierLadder>(engine, simulation, watch);
      case Queue::three_tier_heap:
        return detail::run_with<ThreeTierHeap>(engine, simulation, watch);
      case Queue::bucket:
        break;
    }
  }
  throw UsageError("--queue " + std::string(name_of(engine.queue)) + ": there is only bucket here");
}

}  // namespace laxity::timewarp
