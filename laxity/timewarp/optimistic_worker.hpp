// One worker of the optimistic engine: it processes the events of its own logical processes in the order of keys,
// without waiting for others, and takes back what turns out to have been too early.
//
// Source: Jefferson, Virtual time, ACM TOPLAS 7 (1985), with aggressive cancellation. A straggler is noticed when it
// becomes the next event: until then nothing is lost by not looking. A cancelled event that still waits is only marked.
// Events that a rollback cancels on this worker are undone in the same call, without messages and without recursion.
//
// History below GVT is freed process by process, when one is used and by a cursor that moves on a little every turn;
// never by a walk over all of them, except when event memory is short.
//
// Invariants: every event record that is out of its pool is in the pending set or in a history, each once, and every
// stub in the history entry of the event that sent it; the committed events equal those of the sequential engine. Threads: one; a turn never blocks.
// Elsewhere: bounds on what others may still send (gvt.hpp), how far to go beyond (optimism.hpp), delivery
// (exchange.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "laxity/check.hpp"
#include "laxity/timewarp/digest.hpp"
#include "laxity/timewarp/event_log.hpp"
#include "laxity/timewarp/event_pool.hpp"
#include "laxity/timewarp/exchange.hpp"
#include "laxity/timewarp/gvt.hpp"
#include "laxity/timewarp/history.hpp"
#include "laxity/timewarp/optimism.hpp"
#include "laxity/timewarp/parked_messages.hpp"
#include "laxity/timewarp/partition.hpp"
#include "laxity/timewarp/pending_event.hpp"
#include "laxity/timewarp/result.hpp"

namespace laxity::timewarp {

/// How every worker of a run works; see RunOptions.
struct WorkerOptions {
  Optimism optimism = Optimism::scale_free;
  std::uint64_t gvt_interval = 4096;              ///< events that a worker processes between GVT rounds
  std::size_t turn = 32;                          ///< events between two looks at what others have sent
  std::size_t max_events = std::size_t{1} << 24;  ///< records, at most 2^30 - 1
  bool digest = false;
  std::string event_log{};  ///< directory that takes what is committed (event_log.hpp); empty: none
};

template <Model M, PendingSet Set, Exchange<M> Link>
class OptimisticWorker {
 public:
  OptimisticWorker(const Simulation<M>& simulation, const Partition& partition, int self, Gvt gvt, Link& link,
                   const WorkerOptions& options)
      : simulation_(simulation),
        options_(options),
        partition_(partition),
        self_(self),
        first_(partition.first(self)),
        link_(link),
        gvt_(gvt),
        window_(options.optimism),
        context_(simulation.bounds),
        saver_(simulation_.model, context_),
        events_(options.max_events),
        stubs_(options.max_events),
        handles_(link.channels()) {
    for (LpId lp = first_; lp < first_ + partition.size(self); ++lp) {
      processes_.push_back({.state = first_state<M>(simulation.seed, lp)});
    }
    if (!options.event_log.empty()) {
      log_.emplace(options.event_log, self, log_header_of(simulation.bounds));
      options_.digest = true;
    }
  }

  /// Calls the model's init() for every process of this worker.
  void start() {
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      context_.begin(first_ + static_cast<LpId>(i), earliest_key, processes_[i].state, true);
      simulation_.model.init(context_);
      require_room(context_.sent().size());
      for (const auto& sent : context_.sent()) deliver_first(sent);
    }
    link_.flush();
  }

  /// One turn of the loop. False: all events of all workers are final.
  bool turn() {
    std::size_t done = receive();
    while (done < options_.turn && process_next()) ++done;
    link_.flush();
    if (done == 0 || since_gvt_ >= options_.gvt_interval) gvt_.start();
    if (gvt_.advance([this] { return least_pending(); })) new_gvt();
    collect_some();
    was_idle_ = done == 0;
    return !gvt_.finished();
  }

  /// Whether the last turn found nothing to do; the caller may give up its core for a while.
  [[nodiscard]] bool was_idle() const noexcept { return was_idle_; }

  /// After the last turn: makes all events final. Throws SystemError if the event log cannot be written.
  void finish() {
    for (LogicalProcess<M>& lp : processes_) collect(lp);
    if (log_) log_->close();
    statistics_.gvt_rounds = gvt_.rounds();
    statistics_.peak_events = events_.touched() + stubs_.touched();
  }

  [[nodiscard]] const Statistics& statistics() const noexcept { return statistics_; }
  [[nodiscard]] std::uint64_t digest() const noexcept { return digest_; }
  [[nodiscard]] const Gvt& gvt() const noexcept { return gvt_; }
  [[nodiscard]] const TimeWindow& window() const noexcept { return window_; }
  /// Of the i-th process of this worker.
  [[nodiscard]] const typename M::State& state(std::size_t i) const noexcept { return processes_[i].state.model; }
  [[nodiscard]] std::size_t processes() const noexcept { return processes_.size(); }
  [[nodiscard]] std::size_t events_out() const noexcept { return events_.out() + stubs_.out(); }

  /// The instant of the first event not processed here, cancelled ones included; latest_key if there is none.
  [[nodiscard]] Key least_pending() {
    const PendingEvent* next = pending_.top();
    const Key least = next == nullptr ? latest_key : next->key.instant();
    return parked_.empty() ? least : std::min(least, parked_.least().instant());
  }

 private:
  using Record = HistoryRecord<M>;
  using Time = typename M::Time;

  // ---- receiving ----

  std::size_t receive() {
    std::size_t done = accept_parked();
    done += link_.receive(4 * options_.turn, [this](std::size_t channel, const Message<M>& message) {
      if (message.cancels) {
        cancel_remote(channel, message.handle);
      } else if (events_.left() > spare_records) {
        accept(channel, message);
      } else {
        park(channel, message);
      }
      gvt_.received(message.colour);
    });
    return done;
  }

  void accept(std::size_t channel, const Message<M>& message) {
    LAXITY_DCHECK(!(message.key < gvt_.value()));
    set_handle(channel, message.handle, put(message.key, message.receiver, message.payload));
  }

  void cancel_remote(std::size_t channel, EventId handle) {
    const std::uint32_t place = handles_[channel][handle];
    if ((place & is_parked) != 0) {
      parked_.cancel(place);
      return;
    }
    cancel(place);
    undo_cancelled();
  }

  // Where the sender's handle finds the event here: its record, or its ticket if it is parked.
  void set_handle(std::size_t channel, EventId handle, std::uint32_t place) {
    if (handle == Message<M>::no_handle) return;
    auto& handles = handles_[channel];
    if (handles.size() <= handle) handles.resize(std::max<std::size_t>(handle + 1, 2 * handles.size()));
    handles[handle] = place;
  }

  // Event memory is short: the message stays as it is until there is room. Refusing it could hold up the anti-message
  // behind it that would make room.
  void park(std::size_t channel, const Message<M>& message) {
    const std::uint32_t ticket = is_parked | next_ticket_++;  // after 2^31 they are free again
    set_handle(channel, message.handle, ticket);
    parked_.push({channel, ticket, message});
  }

  // Takes in what was parked, earliest first: while there is room, and the very next event while there is any at all.
  std::size_t accept_parked() {
    std::size_t accepted = 0;
    while (!parked_.empty()) {
      const PendingEvent* next = pending_.top();
      const bool is_next = next == nullptr || parked_.least() < next->key;
      if (events_.left() <= (is_next ? 0 : spare_records)) {
        if (is_next && parked_.least().instant() == gvt_.value()) require_room(1);
        break;
      }
      const Parked<M> parked = parked_.pop();
      const Message<M>& message = parked.message;
      const EventId event = put(message.key, message.receiver, message.payload);
      // The handle may have gone to a later event, if this one cannot be cancelled any more.
      const auto& handles = handles_[parked.channel];
      const bool is_known = message.handle != Message<M>::no_handle && handles[message.handle] == parked.ticket;
      if (is_known) set_handle(parked.channel, message.handle, event);
      ++accepted;
    }
    return accepted;
  }

  // ---- processing ----

  // False: there is nothing that may be processed now.
  bool process_next() {
    const PendingEvent* top = pending_.top();
    if (top == nullptr) return false;
    const PendingEvent next = *top;
    Record& event = events_[next.event];
    if (mark(event) == Mark::cancelled) {
      pending_.pop();
      drop(next.event);
      return true;
    }
    if (!permits(next.key)) {
      ++statistics_.throttled;
      return false;
    }
    pending_.pop();
    prefetch();
    LogicalProcess<M>& lp = process(next.receiver);
    if (!lp.history.empty() && next.key < lp.history.back().key) roll_back_before_straggler(next.key, lp);
    collect(lp);
    return process_event(lp, next);
  }

  [[nodiscard]] bool permits(const Key& key) {
    if (key == held_) return is_certain(key);
    if (key.instant() == gvt_.value()) return true;
    if (std::min(events_.left(), stubs_.left()) < shortage() || link_.backlog() > max_backlog) return short_of_memory();
    return window_.permits(distance(key));
  }

  // Runs the handler. False: it could not be run to its end, and the event waits until nothing can change any more.
  bool process_event(LogicalProcess<M>& lp, const PendingEvent& next) {
    Record& event = events_[next.event];
    saver_.save(event, lp.history.empty() ? nullptr : &events_[lp.history.back().event], lp.state);
    context_.begin(next.receiver, next.key, lp.state);
    try {
      call_handler(simulation_.model, context_, event.payload);
    } catch (...) {
      // The state that it saw may be one that is taken back. If it is not, this is the model's failure.
      // A handler that was left half-way cannot be reversed.
      if (is_certain(next.key) || state_saving_of<M>() == StateSaving::reverse) throw;
      hold(lp, next);
      return false;
    }
    if (!make_room(context_.sent().size())) {
      if (is_certain(next.key)) refuse_for_memory();
      hold(lp, next);
      return false;
    }
    if (next.key == held_) held_ = latest_key;
    set_mark(event, Mark::processed);
    lp.history.push_back({next.key, next.event, no_event});
    ++statistics_.processed;
    ++since_gvt_;
    if (options_.digest) event.digest = digest_of(simulation_.model, event, lp.state);
    deliver(event, lp.history.back());
    return true;
  }

  void deliver(Record& event, HistoryEntry& entry) {
    event.sent_here = no_event;
    for (const auto& sent : context_.sent()) {
      if (is_own(sent.receiver)) {
        const EventId child = put(sent.key, sent.receiver, sent.event);
        events_[child].next_sent = std::exchange(event.sent_here, child);
        ++statistics_.local_events;
      } else {
        const EventId stub = stubs_.take();
        const int to = partition_.worker_of(sent.receiver);
        stubs_[stub] = {sent.key, sent.receiver, static_cast<std::uint32_t>(to), entry.sent_away};
        entry.sent_away = stub;
        post(to, sent, stub);
        ++statistics_.remote_events;
      }
    }
  }

  void deliver_first(const typename Context<M>::Sent& sent) {
    if (is_own(sent.receiver)) {
      static_cast<void>(put(sent.key, sent.receiver, sent.event));
    } else {
      post(partition_.worker_of(sent.receiver), sent, Message<M>::no_handle);
    }
  }

  void post(int to, const typename Context<M>::Sent& sent, EventId handle) {
    Message<M> message = message_about(sent.key, sent.receiver, handle);
    message.cancels = 0;
    message.payload = sent.event;
    link_.send(to, message);
  }

  [[nodiscard]] Message<M> message_about(const Key& key, LpId receiver, EventId handle) noexcept {
    Message<M> message;
    message.key = key;
    message.receiver = receiver;
    message.handle = handle & Message<M>::no_handle;
    message.colour = gvt_.sending(key) & 1U;
    return message;
  }

  [[nodiscard]] EventId put(const Key& key, LpId receiver, const typename M::Event& payload) {
    const EventId id = events_.take();
    Record& event = events_[id];
    event.key = key;
    event.receiver = receiver;
    event.payload = payload;
    set_mark(event, Mark::pending);
    pending_.push({key, receiver, id});
    return id;
  }

  // ---- taking back ----

  void roll_back_before_straggler(const Key& key, LogicalProcess<M>& lp) {
    ++statistics_.primary_rollbacks;
    window_.rolled_back(distance(key));
    undo_from(lp, key);
    undo_cancelled();
  }

  // Takes back every event of the process from `key` on; they wait again, or are gone if they were cancelled.
  void undo_from(LogicalProcess<M>& lp, const Key& key) {
    bool restored = true;
    while (!lp.history.empty() && !(lp.history.back().key < key)) {
      const HistoryEntry undone = lp.history.back();
      Record& event = events_[undone.event];
      saver_.restore(event, lp.state);
      restored = saver_.can_restore(event);
      saver_.forget(event);
      lp.history.pop_back();
      ++statistics_.rolled_back;
      ++rolled_back_since_gvt_;
      cancel_sent(event.sent_here, undone.sent_away);
      if (mark(event) == Mark::cancelled) {
        events_.give_back(undone.event);
      } else {
        set_mark(event, Mark::pending);
        pending_.push({undone.key, event.receiver, undone.event});
      }
    }
    if (!restored) coast_forward(lp);
    saver_.rolled_back();
  }

  // Brings back the state after the newest event of the history from the last state that was saved before it.
  void coast_forward(LogicalProcess<M>& lp) {
    std::uint32_t i = lp.history.size() - 1;
    while (!saver_.can_restore(events_[lp.history[i].event])) --i;
    saver_.restore(events_[lp.history[i].event], lp.state);
    for (; i < lp.history.size(); ++i) {
      const Record& event = events_[lp.history[i].event];
      context_.begin(event.receiver, event.key, lp.state);
      call_handler(simulation_.model, context_, event.payload);
      ++statistics_.coasted;
    }
  }

  void cancel_sent(EventId sent_here, EventId sent_away) {
    for (EventId child = sent_here; child != no_event; child = events_[child].next_sent) cancel(child);
    for (EventId id = sent_away; id != no_event;) {
      const Stub stub = stubs_[id];
      Message<M> message = message_about(stub.key, stub.receiver, id);
      message.cancels = 1;
      link_.send(static_cast<int>(stub.to), message);
      ++statistics_.anti_messages;
      stubs_.give_back(std::exchange(id, stub.next));
    }
  }

  // An event that waits is dropped when it is reached; one that was processed is undone by undo_cancelled().
  void cancel(EventId id) {
    Record& event = events_[id];
    LAXITY_DCHECK(mark(event) != Mark::cancelled);
    if (mark(event) == Mark::processed) {
      to_undo_.push_back({&process(event.receiver), event.key});
    } else {
      ++cancelled_pending_;
    }
    set_mark(event, Mark::cancelled);
  }

  void undo_cancelled() {
    while (!to_undo_.empty()) {
      const auto [lp, key] = to_undo_.back();
      to_undo_.pop_back();
      if (lp->history.empty() || lp->history.back().key < key) continue;  // undone on the way
      ++statistics_.secondary_rollbacks;
      undo_from(*lp, key);
    }
  }

  // ---- becoming final ----

  void new_gvt() {
    window_.new_gvt(since_gvt_, rolled_back_since_gvt_);
    since_gvt_ = 0;
    rolled_back_since_gvt_ = 0;
    if (held_ != latest_key && held_.instant() == gvt_.value()) ++held_rounds_;
    swept_ = false;
  }

  // Commits what lies below GVT, and frees all that no open event needs any more.
  void collect(LogicalProcess<M>& lp) {
    const std::uint32_t were_committed = lp.committed;
    const std::uint32_t size = lp.history.size();
    while (lp.committed < size && lp.history[lp.committed].key < gvt_.value()) commit(lp.history[lp.committed++]);
    if (lp.committed == were_committed && lp.committed < size) return;
    std::uint32_t unused = lp.committed;
    while (unused > 0 && unused < size && !saver_.can_restore(events_[lp.history[unused].event])) --unused;
    lp.committed -= unused;
    for (; unused > 0; --unused) {
      const EventId oldest = lp.history[0].event;
      saver_.forget(events_[oldest]);
      events_.give_back(oldest);
      lp.history.pop_front();
    }
  }

  void commit(const HistoryEntry& entry) {
    ++statistics_.committed;
    const Record& event = events_[entry.event];  // not touched unless there is need
    if (options_.digest) digest_ += event.digest;
    if (log_) [[unlikely]]
      log_->add(logged(simulation_.model, event, event.digest));
    if constexpr (ModelThatCommits<M>) {
      simulation_.model.commit(Committed<M>(event.receiver, event.key.time), event.payload);
    }
    for (EventId id = entry.sent_away; id != no_event;) stubs_.give_back(std::exchange(id, stubs_[id].next));
  }

  // Looks at the next few processes, so that those which are never used do not keep their history.
  void collect_some() {
    if (processes_.empty()) return;
    for (std::size_t i = 0; i < 1 + options_.turn / 4; ++i) {
      if (++cursor_ >= processes_.size()) cursor_ = 0;
      collect(processes_[cursor_]);
    }
  }

  // ---- limits ----

  // Below this, only events that cannot be taken back are processed; the rest is for what others have sent already.
  [[nodiscard]] std::size_t shortage() const noexcept { return std::max(events_.capacity() / 4, spare_records); }

  // Frees what can be freed and asks for a new GVT. False: the next event has to wait.
  bool short_of_memory() {
    if (!swept_) {
      for (LogicalProcess<M>& lp : processes_) collect(lp);
      if (cancelled_pending_ > events_.capacity() / 8) drop_cancelled();
      swept_ = true;
    }
    gvt_.start();
    return false;
  }

  // An event that was cancelled while it waited keeps its record until it is reached, here at once.
  void drop_cancelled() {
    waiting_.clear();
    for (const PendingEvent* next = pending_.top(); next != nullptr; next = pending_.top()) {
      if (mark(events_[next->event]) == Mark::cancelled) {
        drop(next->event);
      } else {
        waiting_.push_back(*next);
      }
      pending_.pop();
    }
    for (const PendingEvent& event : waiting_) pending_.push(event);
  }

  void drop(EventId cancelled) {
    events_.give_back(cancelled);
    --cancelled_pending_;
  }

  // Whether so many events can be sent, here or away; frees what can be freed if that is needed.
  [[nodiscard]] bool make_room(std::size_t events) {
    const auto has_room = [this, events] { return std::min(events_.left(), stubs_.left()) >= events; };
    if (has_room()) return true;
    for (LogicalProcess<M>& lp : processes_) collect(lp);
    drop_cancelled();
    return has_room();
  }

  void require_room(std::size_t events) {
    if (!make_room(events)) refuse_for_memory();
  }

  [[noreturn]] void refuse_for_memory() const {
    throw Error("the event memory of worker " + std::to_string(self_) + " is used up: " +
                std::to_string(events_.capacity()) + " events; allow more, or use fewer processes per worker");
  }

  void hold(LogicalProcess<M>& lp, const PendingEvent& next) {
    Record& event = events_[next.event];
    saver_.restore(event, lp.state);
    const bool restored = saver_.can_restore(event);
    saver_.forget(event);
    if (!restored) coast_forward(lp);
    held_ = next.key;
    held_rounds_ = 0;
    pending_.push(next);
  }

  // Whether nothing can arrive any more that changes what this event finds: GVT has stood at its instant for a whole
  // round, so that also those of the same instant are here.
  [[nodiscard]] bool is_certain(const Key& key) const noexcept {
    return key == held_ && key.instant() == gvt_.value() && held_rounds_ >= 2;
  }

  // ---- small things ----

  [[nodiscard]] static Mark mark(const Record& event) noexcept { return static_cast<Mark>(event.mark); }
  static void set_mark(Record& event, Mark mark) noexcept { event.mark = static_cast<std::uint32_t>(mark); }
  [[nodiscard]] bool is_own(LpId lp) const noexcept { return lp - first_ < processes_.size(); }
  [[nodiscard]] LogicalProcess<M>& process(LpId lp) noexcept { return processes_[lp - first_]; }

  // Units of simulated time beyond GVT.
  [[nodiscard]] double distance(const Key& key) const noexcept {
    return static_cast<double>(TimeBits<Time>::time(key.time) - TimeBits<Time>::time(gvt_.value().time));
  }

  // Asks for the memory of events that come soon, and where the history of their processes goes on once these are here.
  [[gnu::always_inline]] void prefetch() {
    if constexpr (requires { pending_.upcoming(); }) {
      const auto upcoming = pending_.upcoming();
      if (upcoming.empty()) return;
      for (const LogicalProcess<M>* lp : asked_for_) __builtin_prefetch(lp->history.end(), 1);
      asked_for_.clear();
      for (const PendingEvent& soon : upcoming) {
        events_.prefetch(soon.event);
        __builtin_prefetch(&process(soon.receiver), 1);
        asked_for_.push_back(&process(soon.receiver));
      }
    }
  }

  static constexpr std::uint32_t is_parked = 1U << 31;
  static constexpr std::size_t spare_records = 64;
  // Messages that found their ring full; beyond, this worker waits for the others to read. What it did meanwhile would be
  // built on what they have not seen, and the longer the queue, the more is taken back and sent again.
  static constexpr std::size_t max_backlog = 64;

  const Simulation<M>& simulation_;
  WorkerOptions options_;
  Partition partition_;
  int self_;
  LpId first_;
  Link& link_;
  Gvt gvt_;
  TimeWindow window_;
  Context<M> context_;
  StateSaver<M> saver_;
  EventPool<Record> events_;
  EventPool<Stub> stubs_;  // of events sent to other workers
  std::vector<LogicalProcess<M>> processes_;
  Set pending_;
  std::vector<std::vector<std::uint32_t>> handles_;  // by channel and handle: where the event is, see set_handle()
  ParkedMessages<M> parked_;                         // what event memory had no room for
  std::vector<std::pair<LogicalProcess<M>*, Key>> to_undo_;
  std::uint32_t next_ticket_ = 0;
  std::vector<const LogicalProcess<M>*> asked_for_;  // by the last prefetch()
  std::vector<PendingEvent> waiting_;
  std::size_t cancelled_pending_ = 0;
  Key held_ = latest_key;  // the event whose handler failed, if any
  int held_rounds_ = 0;
  bool swept_ = false;
  bool was_idle_ = false;
  std::size_t cursor_ = 0;
  std::uint64_t since_gvt_ = 0;
  std::uint64_t rolled_back_since_gvt_ = 0;
  Statistics statistics_;
  std::uint64_t digest_ = 0;
  std::optional<EventLogWriter> log_;
};

}  // namespace laxity::timewarp
