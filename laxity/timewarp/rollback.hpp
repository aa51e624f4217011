// Taking back: events that were processed too early are undone, what they sent is cancelled, and so on.
//
// Source: Jefferson, Virtual time, ACM TOPLAS 7 (1985), with aggressive cancellation. Events of this worker that a
// rollback cancels are undone in the same call, without messages and without recursion.
//
// Threads: one. Elsewhere: what is taken back (local_events.hpp, sent_away.hpp), when (optimistic_worker.hpp), how states
// come back (state_saving.hpp).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "laxity/check.hpp"
#include "laxity/timewarp/end_of_run.hpp"
#include "laxity/timewarp/local_events.hpp"
#include "laxity/timewarp/sent_away.hpp"

namespace laxity::timewarp {

template <Model M, PendingSet Set, Exchange<M> Link>
class Rollback {
 public:
  /// All of these must outlive this.
  Rollback(const M& model, Context<M>& context, StateSaver<M>& saver, LocalEvents<M, Set>& events,
           SentAway<M, Link>& sent_away, EndOfRun& end, Statistics& statistics) noexcept
      : model_(model),
        context_(context),
        saver_(saver),
        events_(events),
        sent_away_(sent_away),
        end_(end),
        statistics_(statistics) {}

  /// Takes back every event of the process from `key` on, and what these led to on this worker.
  void undo_from(LogicalProcess<M>& lp, const Key& key) {
    undo_one_from(lp, key);
    undo_cancelled();
  }

  /// The same of all processes.
  void undo_all_from(const Key& key) {
    for (LogicalProcess<M>& lp : events_.processes()) {
      if (!lp.history.empty() && !(lp.history.back().key < key)) undo_from(lp, key);
    }
  }

  /// Cancels an event that came from elsewhere.
  void cancel(EventId event) {
    mark_cancelled(event);
    undo_cancelled();
  }

  /// Brings back the state that this event has found, which was popped and is in no history. Its handler may have been
  /// left half-way.
  void restore_before(LogicalProcess<M>& lp, EventId id) {
    HistoryRecord<M>& event = events_[id];
    saver_.restore(event, lp.state);
    const bool restored = saver_.can_restore(event);
    saver_.forget(event);
    if (!restored) coast_forward(lp);
  }

 private:
  // Events wait again, or are gone if they were cancelled.
  void undo_one_from(LogicalProcess<M>& lp, const Key& key) {
    bool restored = true;
    while (!lp.history.empty() && !(lp.history.back().key < key)) {
      const HistoryEntry undone = lp.history.back();
      HistoryRecord<M>& event = events_[undone.event];
      saver_.restore(event, lp.state);
      restored = saver_.can_restore(event);
      saver_.forget(event);
      lp.history.pop_back();
      ++statistics_.rolled_back;
      if constexpr (ModelThatEnds<M>) {
        if (event.take_end()) end_.taken_back(undone.key.time);
      }
      for (EventId child = event.sent_here; child != no_event; child = events_[child].next_sent) mark_cancelled(child);
      statistics_.anti_messages += sent_away_.cancel(undone.sent_away);
      if (event.is(Mark::cancelled)) {
        events_.give_back(undone.event);
      } else {
        events_.wait_again(undone.key, undone.event);
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
      const HistoryRecord<M>& event = events_[lp.history[i].event];
      context_.begin(event.receiver, event.key, lp.state);
      call_handler(model_, context_, event.payload);
      ++statistics_.coasted;
    }
  }

  // An event that waits is dropped when it is reached; one that was processed is undone by undo_cancelled().
  void mark_cancelled(EventId id) {
    HistoryRecord<M>& event = events_[id];
    LAXITY_DCHECK(!event.is(Mark::cancelled));
    if (event.is(Mark::processed)) {
      to_undo_.push_back({&events_.process(event.receiver), event.key});
      event.set_mark(Mark::cancelled);
    } else {
      events_.cancel_waiting(id);
    }
  }

  void undo_cancelled() {
    while (!to_undo_.empty()) {
      const auto [lp, key] = to_undo_.back();
      to_undo_.pop_back();
      if (lp->history.empty() || lp->history.back().key < key) continue;  // undone on the way
      ++statistics_.secondary_rollbacks;
      undo_one_from(*lp, key);
    }
  }

  const M& model_;
  Context<M>& context_;
  StateSaver<M>& saver_;
  LocalEvents<M, Set>& events_;
  SentAway<M, Link>& sent_away_;
  EndOfRun& end_;
  Statistics& statistics_;
  std::vector<std::pair<LogicalProcess<M>*, Key>> to_undo_;
};

}  // namespace laxity::timewarp
