// One worker of the optimistic engine: it processes the events of its own logical processes in the order of keys,
// without waiting for others, and takes back what turns out to have been too early.
//
// Source: Jefferson, Virtual time, ACM TOPLAS 7 (1985). A straggler is noticed when it becomes the next event: until then
// nothing is lost by not looking. A canceled event that still waits is only marked.
//
// History below GVT is freed process by process, when one is used and by a cursor that moves on a little every turn;
// never by a walk over all of them, except when event memory is short. Then only what cannot be taken back is processed;
// if there is no room even for that, all that lies beyond GVT is taken back or parked; the last resort is an error.
//
// Lookahead: whoever has heard of a GVT handles nothing below it any more and takes nothing back there, so what it sends from
// then on lies the model's lookahead beyond; and what it sent before it joined the next round has arrived when that round
// ends. So at the end of a round nothing arrives any more that lies less than the lookahead beyond the GVT of the round
// before, and a worker's next event there is final. It is handled without history and without stubs. Source: the lookahead
// of Chandy and Misra, Distributed simulation: a case study in design and verification of distributed programs, IEEE Trans.
// Softw. Eng. 5 (1979), joined with rollback.
//
// Invariants: every event record that is out of its pool is in the pending set or in a history, each once, and every
// stub in the history entry of the event that sent it; the committed events equal those of the sequential engine.
// Threads: one; a turn never blocks. Elsewhere: what it has (local_events.hpp), what it sends (output_queue.hpp) and gets
// (received_events.hpp), taking back (rollback.hpp), bounds on what others may still send (gvt.hpp), how far to go beyond
// (optimism.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "laxity/check.hpp"
#include "laxity/timewarp/end_of_run.hpp"
#include "laxity/timewarp/exchange/exchange.hpp"
#include "laxity/timewarp/exchange/output_queue.hpp"
#include "laxity/timewarp/exchange/received_events.hpp"
#include "laxity/timewarp/gvt/gvt.hpp"
#include "laxity/timewarp/log/digest.hpp"
#include "laxity/timewarp/log/event_log.hpp"
#include "laxity/timewarp/optimism.hpp"
#include "laxity/timewarp/partition.hpp"
#include "laxity/timewarp/result.hpp"
#include "laxity/timewarp/state/history.hpp"
#include "laxity/timewarp/state/local_events.hpp"
#include "laxity/timewarp/state/rollback.hpp"
#include "laxity/timewarp/worker_options.hpp"

namespace laxity::timewarp {

template <Model M, PendingSet Set, Exchange<M> Link>
class OptimisticWorker {
 public:
  using Time = typename M::Time;

  /// `lent` is there if events are shared. All that is referred to must outlive this.
  OptimisticWorker(const Simulation<M>& simulation, const Partition& partition, int self, Gvt gvt, Link& link,
                   const WorkerOptions& options, LoanedEvents<typename M::Event>* loaned)
      : simulation_(simulation),
        options_(options),
        partition_(partition),
        self_(self),
        link_(link),
        gvt_(gvt),
        window_(options.optimism),
        context_(simulation.model, simulation.bounds),
        saver_(simulation_.model, context_),
        events_(simulation, partition, self, options.max_events, options.memory, loaned != nullptr),
        output_queue_(link, gvt_, partition_, options.max_events, options.memory, loaned),
        received_(events_, link.channels()),
        rollback_(simulation_.model, context_, saver_, events_, output_queue_, end_, statistics_),
        lookahead_(options.lookahead ? context_.lookahead() : Time{0}) {
    if (!options.event_log.empty()) {
      log_.emplace(options.event_log, self, log_header_of(simulation.bounds));
      options_.digest = true;
    }
  }
  OptimisticWorker(const OptimisticWorker&) = delete;
  OptimisticWorker& operator=(const OptimisticWorker&) = delete;

  /// Calls the model's init() for every process of this worker.
  void start() {
    for (std::size_t i = 0; i < events_.processes().size(); ++i) {
      const LpId lp = events_.first_process() + static_cast<LpId>(i);
      context_.begin(lp, earliest_key, events_.process(lp).state, true);
      simulation_.model.init(context_);
      if (!ensure_free_records(context_.sent().size())) fail_out_of_event_memory();
      for (const auto& sent : context_.sent()) static_cast<void>(deliver_irrevocable(sent));
    }
    link_.flush();
  }

  /// One turn of the loop. False: all events of all workers are final.
  bool turn() {
    std::size_t done = receive();
    while (done < options_.turn && process_next()) ++done;
    link_.flush();
    if (done == 0 || since_gvt_ >= options_.gvt_interval) gvt_.start();
    if (gvt_.advance([this] { return GvtReport{least_pending(), end_.least()}; })) new_gvt();
    collect_next_fossils();
    was_idle_ = done == 0;
    return !gvt_.finished();
  }

  /// Whether the last turn found nothing to do; the caller may give up its core for a while.
  [[nodiscard]] bool was_idle() const noexcept { return was_idle_; }

  /// After the last turn: makes all events final that belong to the run, and takes the others back. Throws SystemError if
  /// the event log cannot be written.
  void finish() {
    collect_all_fossils();
    if (gvt_.has_end()) {
      rollback_.roll_back_all(gvt_.irrevocable_below());
      collect_all_fossils();
      events_.remove_if([this](const PendingEvent& waiting, const Record&) {
        events_.release(waiting.event);
        return true;
      });
    }
    if (log_) log_->close();
    statistics_.gvt_rounds = gvt_.rounds();
    statistics_.shared_events = output_queue_.shared();
    statistics_.peak_events = events_.peak_in_use() + output_queue_.peak_in_use();
  }

  [[nodiscard]] const Statistics& statistics() const noexcept { return statistics_; }
  [[nodiscard]] std::uint64_t digest() const noexcept { return digest_; }
  [[nodiscard]] const Gvt& gvt() const noexcept { return gvt_; }
  [[nodiscard]] const TimeWindow& window() const noexcept { return window_; }
  /// Of the i-th process of this worker.
  [[nodiscard]] const typename M::State& state(std::size_t i) const noexcept {
    return events_.processes()[i].state.model;
  }
  [[nodiscard]] std::size_t processes() const noexcept { return events_.processes().size(); }
  [[nodiscard]] std::size_t events_in_use() const noexcept { return events_.in_use() + output_queue_.in_use(); }

  /// The instant of the first event not processed here, canceled ones included; latest_key if there is none.
  [[nodiscard]] Key least_pending() {
    const PendingEvent* next = events_.next();
    const Key least = next == nullptr ? latest_key : next->key.instant();
    return received_.has_overflow() ? std::min(least, received_.least_overflow().instant()) : least;
  }

 private:
  using Record = HistoryRecord<M>;

  // ---- receiving ----

  std::size_t receive() {
    const std::size_t accepted = received_.admit_overflow(reserve());
    return accepted + link_.receive(4 * options_.turn, [this](std::size_t channel, const Message<M>& message) {
      if (message.cancels()) {
        message.for_each_canceled([&](std::uint32_t handle) {
          if (const auto event = received_.canceled(channel, handle)) rollback_.cancel(*event);
        });
        rollback_.roll_back_canceled();
      } else {
        LAXITY_DCHECK(!(message.key < lookahead_horizon_));
        received_.accept(channel, message, reserve());
      }
      gvt_.received(message.color);
    });
  }

  // ---- processing ----

  // False: there is nothing that may be processed now.
  bool process_next() {
    const PendingEvent* top = events_.next();
    if (top == nullptr) return false;
    const PendingEvent next = *top;
    if (events_[next.event].is(Mark::canceled)) {
      events_.pop();
      events_.drop(next.event);
      return true;
    }
    const bool is_short = std::min(events_.free_count(), output_queue_.free_count()) < shortage();
    if (!permits(next.key, is_short)) {
      ++statistics_.throttled;
      return false;
    }
    events_.pop();
    events_.prefetch(lookahead_ == Time{0});
    LogicalProcess<M>& lp = events_.process(next.receiver);
    if (!lp.history.empty() && next.key < lp.history.back().key) {
      ++statistics_.primary_rollbacks;
      window_.rolled_back(distance(next.key));
      rollback_.roll_back(lp, next.key);
    }
    if (is_within_lookahead(next.key) && !is_short) {
      irrevocable_below_ = next.key.instant();
      collect(lp, next.key);
      process_irrevocable(lp, next);
      return true;
    }
    collect(lp, irrevocable_below_);
    return process_event(lp, next);
  }

  [[nodiscard]] bool permits(const Key& key, bool is_short) {
    if constexpr (ModelThatEnds<M>) {
      if (key.time > end_.least()) return false;
    }
    if (key == suspended_) return is_irrevocable(key);
    if (key.instant() == gvt_.value()) return true;
    if (is_short || link_.backlog() > max_backlog) return short_of_memory();
    return is_within_lookahead(key) || window_.permits(distance(key));
  }

  // Whether nothing can arrive any more that would have to be handled before it. Of the next event: then it is final.
  [[nodiscard]] bool is_within_lookahead(const Key& key) const noexcept {
    return key < lookahead_horizon_ && !received_.has_overflow();
  }

  // Runs the handler of an event that is final: nothing of it is ever taken back.
  void process_irrevocable(LogicalProcess<M>& lp, const PendingEvent& next) {
    LAXITY_DCHECK(lp.history.empty());
    const Record& event = events_[next.event];
    context_.begin(next.receiver, next.key, lp.state);
    call_handler(simulation_.model, context_, event.view().payload);
    if (!ensure_free_records(context_.sent().size())) [[unlikely]]
      fail_out_of_event_memory();
    if (next.key == suspended_) release();
    if constexpr (ModelThatEnds<M>) {
      if (simulation_.model.ends(next.receiver, lp.state.model)) context_.check_end();
    }
    ++statistics_.processed;
    ++since_gvt_;
    commit(event, options_.digest ? digest_of(simulation_.model, event.view(), lp.state) : 0);
    for (const auto& sent : context_.sent()) {
      if (deliver_irrevocable(sent)) {
        ++statistics_.local_events;
      } else {
        ++statistics_.remote_events;
      }
    }
    events_.release(next.event);
  }

  // Runs the handler. False: it could not be run to its end, and the event waits until nothing can change any more.
  bool process_event(LogicalProcess<M>& lp, const PendingEvent& next) {
    HistoryEntry<M>& entry = lp.history.push_back(next.key, next.event);
    saver_.save(entry.saved, lp.history.size() == 1 ? nullptr : &lp.history[lp.history.size() - 2].saved, lp.state);
    Record& event = events_[next.event];
    context_.begin(next.receiver, next.key, lp.state);
    try {
      call_handler(simulation_.model, context_, event.view().payload);
    } catch (...) {
      // The state that it saw may be one that is taken back. If it is not, this is the model's failure.
      // A handler that was left half-way cannot be reversed.
      if (is_irrevocable(next.key) || state_saving_of<M>() == StateSaving::reverse) throw;
      hold(lp, next, 0);
      return false;
    }
    if (!ensure_free_records(context_.sent().size())) [[unlikely]] {
      if (is_irrevocable(next.key)) fail_out_of_event_memory();
      hold(lp, next, context_.sent().size());
      return false;
    }
    if (next.key == suspended_) release();
    event.set_mark(Mark::processed);
    if constexpr (ModelThatEnds<M>) {
      if (simulation_.model.ends(next.receiver, lp.state.model)) {
        context_.check_end();
        event.set_end();
        end_.found(next.key.time);
      }
    }
    ++statistics_.processed;
    ++since_gvt_;
    if (options_.digest) set_digest(next.event, digest_of(simulation_.model, event.view(), lp.state));
    deliver(entry);
    return true;
  }

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

  // What can never be taken back. Whether it stays here.
  bool deliver_irrevocable(const typename Context<M>::Sent& sent) {
    const bool stays = events_.owns(sent.receiver);
    if (stays) {
      events_.add(sent.key, sent.receiver, sent.event, Record::local_origin);
    } else {
      output_queue_.send_irrevocable(sent);
    }
    return stays;
  }

  // ---- becoming final ----

  void new_gvt() {
    const std::uint64_t rolled_back =
        statistics_.rolled_back - std::exchange(rolled_back_before_, statistics_.rolled_back);
    window_.new_gvt(std::exchange(since_gvt_, 0), rolled_back);
    swept_ = false;
    irrevocable_below_ = std::max(irrevocable_below_, gvt_.irrevocable_below());
    lookahead_horizon_ = within_lookahead(std::exchange(gvt_before_, gvt_.value()));
    if (gvt_.finished()) return;
    if (suspended_ < gvt_.value()) release();  // it was canceled
    if (suspended_ != latest_key && suspended_.instant() == gvt_.value()) {
      ++suspended_rounds_;
      if (suspended_sends_ > 0) cancelback(suspended_sends_);
    }
    if (events_.free_count() == 0 && received_.has_overflow() && received_.least_overflow().instant() == gvt_.value()) {
      cancelback(1);
      if (!ensure_free_records(1)) fail_out_of_event_memory();
    }
  }

  // The first instant that lies beyond the lookahead; the earliest there is if there is none.
  [[nodiscard]] Key within_lookahead(const Key& gvt) const noexcept {
    if (lookahead_ == Time{0} || gvt == latest_key) return earliest_key;
    const Time time = TimeBits<Time>::time(gvt.time);
    if (lookahead_ > TimeBits<Time>::latest - time) return latest_key;
    return {TimeBits<Time>::of(time + lookahead_), 0};
  }

  // Commits what is final, and frees all that no open event needs any more.
  void collect(LogicalProcess<M>& lp, const Key& irrevocable_below) {
    History<M>& history = lp.history;
    if (history.empty()) return;
    const std::uint32_t size = history.size();
    std::uint32_t committed = lp.committed;
    while (committed < size && history[committed].key < irrevocable_below) commit_entry(history[committed++]);
    if (committed == lp.committed && committed < size) return;
    std::uint32_t unused = committed;
    while (unused > 0 && unused < size && !saver_.can_restore(history[unused].saved)) --unused;
    lp.committed = committed - unused;
    for (; unused > 0; --unused) {
      const HistoryEntry<M>& oldest = history[0];
      saver_.discard(oldest.saved);
      events_.release(oldest.event);
      history.pop_front();
    }
  }

  void commit_entry(const HistoryEntry<M>& entry) {
    commit(events_[entry.event], options_.digest ? digests_[entry.event] : 0);
    output_queue_.discard(entry.remote_sends);
  }

  // The record is not touched unless there is need.
  void commit(const Record& event, std::uint64_t digest) {
    ++statistics_.committed;
    digest_ += digest;
    if (log_) [[unlikely]]
      log_->add(logged(simulation_.model, event.view(), digest));
    if constexpr (ModelThatCommits<M>) {
      simulation_.model.commit(Committed<M>(event.receiver, event.key.time), event.view().payload);
    }
  }

  // What the event adds to the run's digest when it is committed.
  void set_digest(EventId event, std::uint64_t digest) {
    if (digests_.size() <= event) digests_.resize(std::max<std::size_t>(event + 1, 2 * digests_.size()));
    digests_[event] = digest;
  }

  // Looks at the next few processes, so that those which are never used do not keep their history.
  void collect_next_fossils() {
    auto& processes = events_.processes();
    if (processes.empty()) return;
    for (std::size_t i = 0; i < 1 + options_.turn / 16; ++i) {
      if (++cursor_ >= processes.size()) cursor_ = 0;
      collect(processes[cursor_], irrevocable_below_);
    }
  }

  void collect_all_fossils() {
    for (LogicalProcess<M>& lp : events_.processes()) collect(lp, irrevocable_below_);
  }

  // ---- an event that has to wait until nothing can change any more ----

  // `room` is how many events its handler sent, if that were too many.
  void hold(LogicalProcess<M>& lp, const PendingEvent& next, std::size_t room) {
    rollback_.restore_before_newest(lp);
    suspended_ = next.key;
    suspended_sends_ = room;
    suspended_rounds_ = 0;
    events_.requeue(next.key, next.event);
  }

  void release() noexcept {
    suspended_ = latest_key;
    suspended_sends_ = 0;
  }

  // Whether nothing can arrive any more that changes what this event finds: GVT has stood at its instant for a whole
  // round, so that also those of the same instant are here, and none that comes before it is parked.
  [[nodiscard]] bool is_irrevocable(const Key& key) const noexcept {
    const bool has_settled = key == suspended_ && key.instant() == gvt_.value() && suspended_rounds_ >= 2;
    return has_settled && !(received_.has_overflow() && received_.least_overflow() < key);
  }

  // ---- memory ----

  // Below this, only events that cannot be taken back are processed; the rest is for what others have sent already.
  [[nodiscard]] std::size_t shortage() const noexcept { return std::max(events_.capacity() / 4, spare_records); }

  // Records that what others send leaves alone.
  [[nodiscard]] std::size_t reserve() const noexcept { return spare_records + suspended_sends_; }

  // Frees what can be freed and asks for a new GVT. False: the next event has to wait.
  bool short_of_memory() {
    if (!swept_) {
      collect_all_fossils();
      if (events_.canceled() > events_.capacity() / 8) events_.drop_canceled();
      swept_ = true;
    }
    gvt_.start();
    return false;
  }

  // Whether so many events can be sent, here or away; frees what can be freed if that is needed.
  [[nodiscard]] bool ensure_free_records(std::size_t events) {
    return has_free_records(events) || free_records_for(events);
  }
  [[nodiscard, gnu::noinline]] bool free_records_for(std::size_t events) {
    collect_all_fossils();
    events_.drop_canceled();
    return has_free_records(events);
  }
  [[nodiscard]] bool has_free_records(std::size_t events) const noexcept {
    return std::min(events_.free_count(), output_queue_.free_count()) >= events;
  }

  // Gives up what lies beyond GVT for so many events at it. Right after a round: within one, after its report, a worker
  // must not take back of its own accord what the new GVT may lie beyond.
  void cancelback(std::size_t events) {
    if (ensure_free_records(events)) return;
    const Key beyond = std::max(gvt_.value().after_instant(), irrevocable_below_);
    rollback_.roll_back_all(beyond);
    if (!ensure_free_records(events)) received_.move_to_overflow(beyond);
  }

  [[noreturn]] void fail_out_of_event_memory() const {
    throw Error("the event memory of worker " + std::to_string(self_) + " is used up: " +
                std::to_string(events_.capacity()) + " events; allow more, or use fewer processes per worker");
  }

  // Units of simulated time beyond GVT.
  [[nodiscard]] double distance(const Key& key) const noexcept {
    return static_cast<double>(TimeBits<Time>::time(key.time) - TimeBits<Time>::time(gvt_.value().time));
  }

  static constexpr std::size_t spare_records = 64;
  // Messages that found their ring full; beyond, this worker waits for the others to read. What it did meanwhile would be
  // built on what they have not seen, and the longer the queue, the more is taken back and sent again.
  static constexpr std::size_t max_backlog = 64;

  const Simulation<M>& simulation_;
  WorkerOptions options_;
  Partition partition_;
  int self_;
  Link& link_;
  Gvt gvt_;
  TimeWindow window_;
  Context<M> context_;
  StateSaver<M> saver_;
  LocalEvents<M, Set> events_;
  OutputQueue<M, Link> output_queue_;
  ReceivedEvents<M, Set> received_;
  EndOfRun end_;
  Statistics statistics_;
  Rollback<M, Set, Link> rollback_;
  Time lookahead_;                        // 0: there is none, or it is not used
  Key gvt_before_ = earliest_key;         // the last but one
  Key lookahead_horizon_ = earliest_key;  // nothing arrives any more that lies before, by the lookahead
  Key irrevocable_below_ = earliest_key;  // GVT, or the instant of the last event that was final when it was handled
  Key suspended_ = latest_key;            // the event that waits until it is certain, if any
  std::size_t suspended_sends_ = 0;
  int suspended_rounds_ = 0;
  bool swept_ = false;
  bool was_idle_ = false;
  std::size_t cursor_ = 0;
  std::uint64_t since_gvt_ = 0;
  std::uint64_t rolled_back_before_ = 0;  // the last GVT round
  std::uint64_t digest_ = 0;
  std::vector<std::uint64_t> digests_;  // of the events by their numbers, if they are wanted
  std::optional<EventLogWriter> log_;
};

}  // namespace laxity::timewarp
