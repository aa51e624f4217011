// One worker of the optimistic engine: it processes the events of its own logical processes in the order of keys,
// without waiting for other workers, and rolls back events that were processed before a straggler with a lower key
// arrived.
//
// A straggler is detected when it becomes the next event; until then it costs nothing. A canceled event that is still
// pending is only marked. The next event is handled in one of two ways: an irrevocable one without any history, all
// others with a history entry from which they can be rolled back.
//
// Source: Jefferson, Virtual time, ACM TOPLAS 7 (1985).
// Invariants: every event record in use is in the pending-event set or in a history, each once; every stub belongs to
// the history entry of the event that sent it; the committed events equal those of the sequential engine.
// Threads: one; a turn never blocks.
// Elsewhere: records and pending events (local_events.hpp), events to other workers (output_queue.hpp) and from them
// (received_events.hpp), rollback (rollback.hpp), fossil collection (fossil_collection.hpp), what happens when event
// memory runs short (memory_pressure.hpp), GVT (gvt.hpp), the lookahead (lookahead_horizon.hpp), throttling
// (optimism.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "laxity/check.hpp"
#include "laxity/error.hpp"
#include "laxity/timewarp/context.hpp"
#include "laxity/timewarp/end_of_run.hpp"
#include "laxity/timewarp/event.hpp"
#include "laxity/timewarp/exchange/exchange.hpp"
#include "laxity/timewarp/exchange/loaned_events.hpp"
#include "laxity/timewarp/exchange/output_queue.hpp"
#include "laxity/timewarp/exchange/received_events.hpp"
#include "laxity/timewarp/gvt/gvt.hpp"
#include "laxity/timewarp/gvt/lookahead_horizon.hpp"
#include "laxity/timewarp/key.hpp"
#include "laxity/timewarp/model.hpp"
#include "laxity/timewarp/optimism.hpp"
#include "laxity/timewarp/partition.hpp"
#include "laxity/timewarp/pending/pending_event.hpp"
#include "laxity/timewarp/result.hpp"
#include "laxity/timewarp/state/event_committer.hpp"
#include "laxity/timewarp/state/event_pool.hpp"
#include "laxity/timewarp/state/fossil_collection.hpp"
#include "laxity/timewarp/state/history.hpp"
#include "laxity/timewarp/state/local_events.hpp"
#include "laxity/timewarp/state/memory_pressure.hpp"
#include "laxity/timewarp/state/rollback.hpp"
#include "laxity/timewarp/state/state_saving.hpp"
#include "laxity/timewarp/state/suspended_event.hpp"
#include "laxity/timewarp/statistics.hpp"
#include "laxity/timewarp/worker_options.hpp"

namespace laxity::timewarp {

template <Model M, PendingSet Set, Exchange<M> Link>
class OptimisticWorker {
 public:
  using Time = typename M::Time;

  /// `loaned`: the events on loan to other workers, if events are shared; otherwise nullptr. `pending`: an empty set.
  /// The references must outlive this. Throws SystemError, and UsageError if the event log exists.
  OptimisticWorker(const Simulation<M>& simulation, const Partition& partition, int self, Gvt gvt, Link& link,
                   const WorkerOptions& options, LoanedEvents<typename M::Event>* loaned, Set pending = {})
      : simulation_(simulation),
        self_(self),
        options_(options),
        partition_(partition),
        link_(link),
        gvt_(gvt),
        window_(options.optimism),
        context_(simulation.model, simulation.bounds),
        horizon_(options.lookahead ? context_.lookahead() : Time{0}),
        saver_(simulation_.model, context_),
        max_bytes_(bytes_for_events(options, partition.size(self))),
        events_(simulation, partition, self, EventPool<Record>::fitting_in(max_bytes_, options.max_events),
                options.memory, loaned != nullptr, std::move(pending)),
        output_queue_(link, gvt_, partition_, events_.capacity(), options.memory, loaned),
        received_(events_, link.channels()),
        committer_(simulation, self, options.digest, options.event_log, statistics_),
        fossils_(saver_, events_, output_queue_, committer_),
        rollback_(simulation_.model, context_, saver_, events_, output_queue_, end_, statistics_),
        memory_(self, max_bytes_, saver_, gvt_, irrevocable_below_, events_, output_queue_, received_, fossils_,
                rollback_) {}
  OptimisticWorker(const OptimisticWorker&) = delete;
  OptimisticWorker& operator=(const OptimisticWorker&) = delete;

  /// Calls the model's init() for every process of this worker.
  void start() {
    for (std::size_t i = 0; i < events_.processes().size(); ++i) {
      const LpId lp = events_.first_process() + static_cast<LpId>(i);
      context_.begin(lp, earliest_key, events_.process(lp).state, true);
      call_init(simulation_.model, context_);
      if (!memory_.ensure_free_records(context_.sent().size())) memory_.fail_out_of_event_memory();
      for (const auto& sent : context_.sent()) static_cast<void>(deliver_irrevocable(sent));
    }
    link_.flush();
  }

  /// One turn of the worker's loop. False: all events of all workers are irrevocable.
  bool turn() {
    std::size_t done = receive();
    memory_.count_bytes();
    while (done < options_.turn && process_next()) ++done;
    link_.flush();
    if (done == 0 || processed_since_gvt_ >= options_.gvt_interval) gvt_.start();
    if (gvt_.advance([this] { return GvtReport{min_pending(), end_.least(), memory_.is_flooded()}; })) new_gvt();
    fossils_.collect_next_fossils(1 + options_.turn / 16, irrevocable_below_);
    was_idle_ = done == 0;
    return !gvt_.finished();
  }

  /// Whether the last turn found nothing to do; the caller may then yield its core.
  [[nodiscard]] bool was_idle() const noexcept { return was_idle_; }

  /// Call after the last turn: commits all events that belong to the run, and rolls back those beyond its end. Throws
  /// SystemError if the event log cannot be written.
  void finish() {
    fossils_.collect_all_fossils(irrevocable_below_);
    if (gvt_.has_end()) {
      rollback_.roll_back_all(gvt_.irrevocable_below());
      fossils_.collect_all_fossils(irrevocable_below_);
      events_.remove_if([this](const PendingEvent& pending, const Record&) {
        events_.release(pending.event);
        return true;
      });
    }
    committer_.close_log();
    statistics_.gvt_rounds = gvt_.rounds();
    statistics_.shared_events = output_queue_.shared();
    statistics_.peak_bytes = memory_.peak_bytes();
    statistics_.peak_events = events_.peak_in_use() + output_queue_.peak_in_use();
  }

  [[nodiscard]] const Statistics& statistics() const noexcept { return statistics_; }
  [[nodiscard]] std::uint64_t digest() const noexcept { return committer_.digest(); }
  [[nodiscard]] const CollectorsOf<M>& collectors() const noexcept { return committer_.collectors(); }
  [[nodiscard]] const Gvt& gvt() const noexcept { return gvt_; }
  [[nodiscard]] const TimeWindow& window() const noexcept { return window_; }
  [[nodiscard]] std::size_t processes() const noexcept { return events_.processes().size(); }
  /// The state of the i-th process of this worker.
  [[nodiscard]] const typename M::State& state(std::size_t i) const noexcept {
    return events_.processes()[i].state.model;
  }
  /// Records in use, stubs of events sent to other workers included.
  [[nodiscard]] std::size_t events_in_use() const noexcept { return events_.in_use() + output_queue_.in_use(); }

  /// The instant of the first event that is not processed here, canceled events included; latest_key if there is none.
  [[nodiscard]] Key min_pending() {
    const PendingEvent* next = events_.next();
    const Key least = next == nullptr ? latest_key : next->key.instant();
    return received_.has_overflow() ? std::min(least, received_.min_overflow().instant()) : least;
  }

 private:
  using Record = HistoryRecord<M>;

  // Throws UsageError if the processes alone need more.
  static std::size_t bytes_for_events(const WorkerOptions& options, std::size_t processes) {
    const std::size_t needed = LocalEvents<M, Set>::bytes_of_processes(processes);
    if (options.max_memory > needed) return options.max_memory - needed;
    throw UsageError("max_memory: the " + std::to_string(processes) + " processes of a worker need " +
                     std::to_string(needed >> 20) + " MiB of its " + std::to_string(options.max_memory >> 20) +
                     " MiB, without any event");
  }

  // ---- receiving ----

  // Polls for incoming messages; returns the number of messages received.
  std::size_t receive() {
    const std::size_t admitted = received_.admit_overflow(memory_.reserve(suspended_.sends()));
    return admitted + link_.receive(4 * options_.turn, [this](std::size_t channel, const Message<M>& message) {
      if (message.is_anti_message()) {
        cancel(channel, message);
      } else {
        LAXITY_DCHECK(!horizon_.is_beyond(message.key));
        received_.accept(channel, message, memory_.reserve(suspended_.sends()));
      }
      gvt_.received(message.color);
    });
  }

  void cancel(std::size_t channel, const Message<M>& anti_message) {
    anti_message.for_each_canceled([&](std::uint32_t handle) {
      if (const auto event = received_.canceled(channel, handle)) rollback_.cancel(*event);
    });
    rollback_.roll_back_canceled();
  }

  // ---- processing ----

  // Processes the next event. False: there is none that may be processed now.
  bool process_next() {
    const PendingEvent* top = events_.next();
    if (top == nullptr) return false;
    const PendingEvent next = *top;
    if (events_[next.event].is(EventStatus::canceled)) {
      events_.pop();
      events_.drop(next.event);
      return true;
    }
    LogicalProcess<M>& lp = events_.process(next.receiver);
    const bool is_memory_short =
        memory_.is_short() || (lp.history.is_full() && !memory_.fits(lp.history.size() * sizeof(HistoryEntry<M>)));
    if (!may_process(next.key, is_memory_short)) {
      ++statistics_.throttled;
      return false;
    }
    events_.pop();
    events_.prefetch(!horizon_.is_used());
    if (is_straggler(next.key, lp)) {
      ++statistics_.primary_rollbacks;
      window_.rolled_back(distance_from_gvt(next.key));
      rollback_.roll_back(lp, next.key);
    }
    if (is_within_lookahead(next.key) && !is_memory_short) {
      irrevocable_below_ = next.key.instant();
      fossils_.collect_fossils(lp, next.key);
      process_irrevocable(lp, next);
      return true;
    }
    fossils_.collect_fossils(lp, irrevocable_below_);
    return process_revocable(lp, next);
  }

  // Whether the process has already handled an event that comes after this one.
  [[nodiscard]] static bool is_straggler(const Key& key, LogicalProcess<M>& lp) noexcept {
    return !lp.history.empty() && key < lp.history.back().key;
  }

  // Whether the next event may be processed now: throttles for memory, for a slow receiver, and by the time window.
  [[nodiscard]] bool may_process(const Key& key, bool is_memory_short) {
    if constexpr (ModelThatEnds<M>) {
      if (key.time > end_.least()) return false;
    }
    if (suspended_.is(key)) return is_irrevocable(key);
    if (key.instant() == gvt_.value()) return true;
    if (is_memory_short || gvt_.is_memory_short() || link_.backlog() > max_backlog) {
      if (is_memory_short || gvt_.is_memory_short()) ++statistics_.throttled_for_memory;
      memory_.throttle();
      return false;
    }
    return is_within_lookahead(key) || window_.permits(distance_from_gvt(key));
  }

  // Whether no event with a lower key can be received any more. The next event is then irrevocable.
  [[nodiscard]] bool is_within_lookahead(const Key& key) const noexcept {
    return horizon_.is_beyond(key) && !received_.has_overflow();
  }

  // Whether the suspended event is irrevocable without a lookahead: GVT has settled at its instant, and no event before
  // it waits outside event memory.
  [[nodiscard]] bool is_irrevocable(const Key& key) const noexcept {
    return suspended_.is(key) && suspended_.has_settled(gvt_.value()) &&
           !(received_.has_overflow() && received_.min_overflow() < key);
  }

  // Handles an irrevocable event: it needs no history entry and no stubs, and is committed at once.
  void process_irrevocable(LogicalProcess<M>& lp, const PendingEvent& next) {
    LAXITY_DCHECK(lp.history.empty());
    const Record& event = events_[next.event];
    context_.begin(next.receiver, next.key, lp.state);
    call_handler(simulation_.model, context_, event.view().payload);
    if (!memory_.ensure_free_records(context_.sent().size())) [[unlikely]]
      memory_.fail_out_of_event_memory();
    count_processed(next.key);
    static_cast<void>(ends_run(next.receiver, lp));
    committer_.commit_processed(event, lp.state);
    for (const auto& sent : context_.sent()) {
      if (deliver_irrevocable(sent)) {
        ++statistics_.local_events;
      } else {
        ++statistics_.remote_events;
      }
    }
    events_.release(next.event);
  }

  // Handles an event that may be rolled back. False: its handler could not be completed, and the event was suspended.
  bool process_revocable(LogicalProcess<M>& lp, const PendingEvent& next) {
    HistoryEntry<M>& entry = lp.history.push_back(next.key, next.event, events_.history_entries());
    saver_.save(entry.saved, lp.history.size() == 1 ? nullptr : &lp.history[lp.history.size() - 2].saved, lp.state);
    Record& event = events_[next.event];
    context_.begin(next.receiver, next.key, lp.state);
    try {
      call_handler(simulation_.model, context_, event.view().payload);
    } catch (...) {
      // The handler may have run on a state that is rolled back later. If not, the model has failed. A handler that
      // threw has changed only part of the state and cannot be reversed.
      if (is_irrevocable(next.key) || state_saving_of<M>() == StateSaving::reverse) throw;
      suspend(lp, next, 0);
      return false;
    }
    if (!memory_.ensure_free_records(context_.sent().size())) [[unlikely]] {
      if (is_irrevocable(next.key)) memory_.fail_out_of_event_memory();
      suspend(lp, next, context_.sent().size());
      return false;
    }
    count_processed(next.key);
    event.set_status(EventStatus::processed);
    if (ends_run(next.receiver, lp)) {
      event.set_end();
      end_.found(next.key.time);
    }
    committer_.remember_digest(next.event, event, lp.state);
    deliver(entry);
    return true;
  }

  void count_processed(const Key& key) noexcept {
    if (suspended_.is(key)) suspended_.clear();
    ++statistics_.processed;
    ++processed_since_gvt_;
  }

  // Whether the state that the handler has left ends the run. Throws ModelError if the model has a lookahead as well.
  [[nodiscard]] bool ends_run(LpId receiver, const LogicalProcess<M>& lp) const {
    if constexpr (ModelThatEnds<M>) {
      if (!simulation_.model.ends(receiver, lp.state.model)) return false;
      context_.check_end();
      return true;
    }
    return false;
  }

  // Delivers the events that a revocable event has sent, and records them in its history entry.
  void deliver(HistoryEntry<M>& entry) {
    for (const auto& sent : context_.sent()) {
      if (events_.owns(sent.receiver)) {
        const EventId child = events_.add(sent.key, sent.receiver, sent.event, Record::local_origin);
        const EventId before = std::exchange(entry.local_sends, child);
        if (++entry.local_send_count > 1) events_.link(child) = before;
        ++statistics_.local_events;
      } else {
        output_queue_.send(sent, entry.remote_sends);
        ++statistics_.remote_events;
      }
    }
  }

  // Delivers an event whose sender can never be rolled back. True: to a process of this worker.
  bool deliver_irrevocable(const typename Context<M>::Sent& sent) {
    const bool is_local = events_.owns(sent.receiver);
    if (is_local) {
      events_.add(sent.key, sent.receiver, sent.event, Record::local_origin);
    } else {
      output_queue_.send_irrevocable(sent);
    }
    return is_local;
  }

  void suspend(LogicalProcess<M>& lp, const PendingEvent& next, std::size_t sends) {
    rollback_.restore_before_newest(lp);
    suspended_.suspend(next.key, sends);
    events_.requeue(next.key, next.event);
  }

  // ---- global virtual time ----

  void new_gvt() {
    const std::uint64_t rolled_back =
        statistics_.rolled_back - std::exchange(rolled_back_before_, statistics_.rolled_back);
    window_.new_gvt(std::exchange(processed_since_gvt_, 0), rolled_back);
    memory_.new_gvt();
    irrevocable_below_ = std::max(irrevocable_below_, gvt_.irrevocable_below());
    horizon_.new_gvt(gvt_.value());
    if (gvt_.finished()) return;
    if constexpr (ModelThatListensToGvt<M>) {
      fossils_.collect_all_fossils(irrevocable_below_);
      const Time gvt = TimeBits<Time>::time(gvt_.value().time);
      call_at_gvt(simulation_.model, {.worker = self_, .gvt = gvt, .collectors = committer_.collectors()});
    }
    suspended_.new_gvt(gvt_.value());
    if (suspended_.is_at(gvt_.value()) && suspended_.sends() > 0) memory_.cancelback(suspended_.sends());
    memory_.admit_events_at_gvt();
  }

  // Units of simulated time.
  [[nodiscard]] double distance_from_gvt(const Key& key) const noexcept {
    return static_cast<double>(TimeBits<Time>::time(key.time) - TimeBits<Time>::time(gvt_.value().time));
  }

  // A worker with more unsent messages than this waits for their receivers: events that it processed meanwhile would
  // rest on what the receivers have not seen, and the longer the queue, the more is rolled back and sent again.
  static constexpr std::size_t max_backlog = 64;

  const Simulation<M>& simulation_;
  int self_;
  WorkerOptions options_;
  Partition partition_;
  Link& link_;
  Gvt gvt_;
  TimeWindow window_;
  Context<M> context_;
  LookaheadHorizon<Time> horizon_;
  StateSaver<M> saver_;
  std::size_t max_bytes_;  // of everything but the processes
  LocalEvents<M, Set> events_;
  OutputQueue<M, Link> output_queue_;
  ReceivedEvents<M, Set> received_;
  EndOfRun end_;
  Statistics statistics_;
  EventCommitter<M> committer_;
  FossilCollector<M, Set, Link> fossils_;
  Rollback<M, Set, Link> rollback_;
  MemoryPressure<M, Set, Link> memory_;
  SuspendedEvent suspended_;
  Key irrevocable_below_ = earliest_key;  // GVT, or the instant of the last event that was handled as irrevocable
  bool was_idle_ = false;
  std::uint64_t processed_since_gvt_ = 0;
  std::uint64_t rolled_back_before_ = 0;  // the last GVT round
};

}  // namespace laxity::timewarp
