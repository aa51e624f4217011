// The sequential engine: one pending-event set and one loop. It is the reference that every other engine must equal,
// and the engine to use when one core is enough.
//
// Threads: the caller's. Elsewhere: the optimistic engine (run.hpp).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/timewarp/context.hpp"
#include "laxity/timewarp/event.hpp"
#include "laxity/timewarp/key.hpp"
#include "laxity/timewarp/log/digest.hpp"
#include "laxity/timewarp/log/event_log.hpp"
#include "laxity/timewarp/model.hpp"
#include "laxity/timewarp/pending/bucket_queue.hpp"
#include "laxity/timewarp/pending/pending_event.hpp"
#include "laxity/timewarp/result.hpp"
#include "laxity/timewarp/state/available_memory.hpp"
#include "laxity/timewarp/state/event_pool.hpp"
#include "laxity/timewarp/statistics.hpp"

namespace laxity::timewarp {

struct SequentialOptions {
  bool digest = false;                            ///< costs a hash of every event and of the state after it
  std::size_t max_events = std::size_t{1} << 30;  ///< maximum number of pending events; more end the run with an Error
  std::size_t max_memory = 0;                     ///< bytes for pending events; 0: three quarters of available_memory()
  /// Called every 65536 events with the time of the last event (bits, see TimeBits) and the number of events so far. It
  /// ends the run with Interrupted by returning false. May be empty.
  std::function<bool(std::uint64_t, std::uint64_t)> watch = {};
  std::string event_log = {};  ///< directory for the log of committed events (event_log.hpp); empty: no log
};

template <Model M, PendingSet Set = BucketQueue>
class SequentialEngine {
 public:
  /// `pending`: an empty set.
  SequentialEngine(const Simulation<M>& simulation, SequentialOptions options, Set pending = {})
      : simulation_(simulation),
        options_(std::move(options)),
        context_(simulation.model, simulation.bounds),
        events_(EventPool<EventRecord<M>>::fitting_in(memory_or_default(options_.max_memory), options_.max_events)),
        pending_(std::move(pending)),
        collectors_(first_collectors(simulation.model)) {
    if (options_.event_log.empty()) return;
    log_.emplace(options_.event_log, 0, log_header_of(simulation_.bounds));
    options_.digest = true;
  }

  /// Runs the whole simulation. To be called once. Throws SystemError if the event log cannot be written, Error if more
  /// than max_events events are pending, ModelError, Interrupted, and what the model throws.
  [[nodiscard]] Result<M> run() {
    states_.resize(simulation_.bounds.logical_processes);
    for (LpId lp = 0; lp < states_.size(); ++lp) {
      states_[lp].random = first_random<M>(simulation_.seed, lp);
      context_.begin(lp, earliest_key, states_[lp], true);
      call_init(simulation_.model, context_);
      deliver();
    }
    const auto start = std::chrono::steady_clock::now();
    while (const PendingEvent* next = pending_.top()) {
      if constexpr (ModelThatEnds<M>) {
        if (next->key.time > end_) [[unlikely]]
          break;
      }
      handle(*next);
      if (statistics_.committed % 65536 == 0) [[unlikely]]
        watch();
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    return finish(elapsed.count());
  }

 private:
  void handle(const PendingEvent next) {
    pending_.pop();
    prefetch();
    const EventRecord<M>& event = events_[next.event];
    LpState<M>& state = states_[next.receiver];
    context_.begin(next.receiver, next.key, state);
    call_handler(simulation_.model, context_, event.payload);
    if constexpr (ModelThatEnds<M>) {
      if (simulation_.model.ends(next.receiver, state.model)) [[unlikely]] {
        context_.check_end();
        end_ = next.key.time;
      }
    }
    ++statistics_.committed;
    if (options_.digest) {
      const std::uint64_t digest = digest_of(simulation_.model, event.view(), state);
      digest_ += digest;
      if (log_) log_->add(logged(simulation_.model, event.view(), digest));
    }
    if constexpr (ModelThatCommits<M>) {
      call_commit(simulation_.model,
                  Committed<M>(context_.layout(), next.receiver, next.key, &state.model, collectors_), event.payload);
    }
    events_.release(next.event);
    deliver();
  }

  void watch() const {
    if constexpr (ModelThatListensToGvt<M>)
      call_at_gvt(simulation_.model, {.worker = 0, .gvt = context_.now(), .collectors = collectors_});
    const std::uint64_t time = TimeBits<typename M::Time>::of(context_.now());
    if (options_.watch && !options_.watch(time, statistics_.committed)) throw Interrupted();
  }

  void deliver() {
    for (const auto& sent : context_.sent()) {
      const EventId event = events_.allocate();
      if (event == no_event) {
        throw Error("more than " + std::to_string(events_.capacity()) + " events are pending; " +
                    (events_.capacity() < options_.max_events
                         ? "they fill max_memory: allow more, or use smaller events"
                         : "raise max_events") +
                    ", or check that the model does not send without end");
      }
      events_[event] = {sent.key, sent.receiver, 0, sent.event};
      pending_.push({sent.key, sent.receiver, event});
    }
  }

  // Prefetches the records and the logical processes of the next events, whose addresses are scattered.
  [[gnu::always_inline]] void prefetch() {
    if constexpr (requires { pending_.upcoming(); }) {
      for (const PendingEvent& soon : pending_.upcoming()) {
        events_.prefetch(soon.event);
        __builtin_prefetch(&states_[soon.receiver], 1);
      }
    }
  }

  [[nodiscard]] Result<M> finish(double seconds) {
    if (log_) log_->close();
    statistics_.processed = statistics_.committed;
    statistics_.peak_events = events_.peak_in_use();
    Result<M> result{
        .states = {}, .workers = {statistics_}, .digest = digest_, .seconds = seconds, .collectors = collectors_};
    if (end_ != latest_key.time) result.ended_at = TimeBits<typename M::Time>::time(end_);
    for (const LpState<M>& state : states_) result.states.push_back(state.model);
    call_finish(simulation_.model, result.states);
    return result;
  }

  Simulation<M> simulation_;
  SequentialOptions options_;
  Context<M> context_;
  EventPool<EventRecord<M>> events_;
  std::vector<LpState<M>> states_;
  Set pending_;
  std::uint64_t end_ =
      latest_key.time;  // bits of the time at which the model has ended the run; latest_key.time if it has not
  Statistics statistics_;
  std::uint64_t digest_ = 0;
  std::optional<EventLogWriter> log_;
  [[no_unique_address]] CollectorsOf<M> collectors_;
};

/// Runs the simulation in the calling thread; `pending`: an empty set. Throws as SequentialEngine::run().
template <PendingSet Set = BucketQueue, Model M>
[[nodiscard]] Result<M> run_sequential(const Simulation<M>& simulation, SequentialOptions options = {},
                                       Set pending = {}) {
  return SequentialEngine<M, Set>(simulation, std::move(options), std::move(pending)).run();
}

}  // namespace laxity::timewarp
