// Taking back: events that were processed too early are undone, what they sent is canceled, and so on.
//
// Source: Jefferson, Virtual time, ACM TOPLAS 7 (1985), with aggressive cancellation. Events of this worker that a
// rollback cancels are undone in the same call, without messages and without recursion; other workers hear of theirs at
// its end, each by as few messages as hold them.
//
// Threads: one. Elsewhere: what is taken back (local_events.hpp, output_queue.hpp), when (optimistic_worker.hpp), how states
// come back (state_saving.hpp).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "laxity/check.hpp"
#include "laxity/timewarp/end_of_run.hpp"
#include "laxity/timewarp/exchange/output_queue.hpp"
#include "laxity/timewarp/state/local_events.hpp"

namespace laxity::timewarp {

template <Model M, PendingSet Set, Exchange<M> Link>
class Rollback {
 public:
  /// All of these must outlive this.
  Rollback(const M& model, Context<M>& context, StateSaver<M>& saver, LocalEvents<M, Set>& events,
           OutputQueue<M, Link>& output_queue, EndOfRun& end, Statistics& statistics) noexcept
      : model_(model),
        context_(context),
        saver_(saver),
        events_(events),
        output_queue_(output_queue),
        end_(end),
        statistics_(statistics) {}

  /// Takes back every event of the process from `key` on, and what these led to on this worker.
  void roll_back(LogicalProcess<M>& lp, const Key& key) {
    roll_back_process(lp, key);
    roll_back_canceled();
  }

  /// The same of all processes.
  void roll_back_all(const Key& key) {
    for (LogicalProcess<M>& lp : events_.processes()) {
      if (!lp.history.empty() && !(lp.history.back().key < key)) roll_back_process(lp, key);
    }
    roll_back_canceled();
  }

  /// Marks an event as canceled. One that waits is dropped when it is reached; one that was processed is undone by
  /// roll_back_canceled().
  void cancel(EventId id) {
    HistoryRecord<M>& event = events_[id];
    LAXITY_DCHECK(!event.is(Mark::canceled));
    if (event.is(Mark::processed)) {
      canceled_processed_.push_back({&events_.process(event.receiver), event.key});
      event.set_mark(Mark::canceled);
    } else {
      events_.mark_canceled(id);
    }
  }

  /// Undoes what is canceled and what that led to on this worker, and tells the others.
  void roll_back_canceled() {
    while (!canceled_processed_.empty()) {
      const auto [lp, key] = canceled_processed_.back();
      canceled_processed_.pop_back();
      if (lp->history.empty() || lp->history.back().key < key) continue;  // undone on the way
      ++statistics_.secondary_rollbacks;
      roll_back_process(*lp, key);
    }
    statistics_.anti_messages += output_queue_.send_anti_messages();
  }

  /// Brings back the state that the newest event of the history has found, and takes it out. Its handler may have been
  /// left half-way, and nothing of what it sent was delivered.
  void restore_before_newest(LogicalProcess<M>& lp) {
    if (!restore_newest(lp)) coast_forward(lp);
  }

 private:
  // Events wait again, or are gone if they were canceled.
  void roll_back_process(LogicalProcess<M>& lp, const Key& key) {
    bool restored = true;
    while (!lp.history.empty() && !(lp.history.back().key < key)) {
      const HistoryEntry<M>& undone = lp.history.back();  // stays where it is until another is added
      HistoryRecord<M>& event = events_[undone.event];
      restored = restore_newest(lp);
      ++statistics_.rolled_back;
      if constexpr (ModelThatEnds<M>) {
        if (event.clear_end()) end_.rolled_back(undone.key.time);
      }
      EventId child = undone.local_sends;
      for (std::uint32_t left = undone.local_send_count; left > 0; --left) {
        cancel(child);
        if (left > 1) child = events_.link(child);
      }
      output_queue_.cancel(undone.remote_sends);
      if (event.is(Mark::canceled)) {
        events_.release(undone.event);
      } else {
        events_.requeue(undone.key, undone.event);
      }
    }
    if (!restored) coast_forward(lp);
    saver_.rolled_back();
  }

  // False: the state before it was not saved, and is that after the one before.
  [[nodiscard]] bool restore_newest(LogicalProcess<M>& lp) {
    HistoryEntry<M>& newest = lp.history.back();
    saver_.restore(events_[newest.event].view(), newest.saved, lp.state);
    const bool restored = saver_.can_restore(newest.saved);
    saver_.discard(newest.saved);
    lp.history.pop_back();
    return restored;
  }

  // Brings back the state after the newest event of the history from the last state that was saved before it.
  void coast_forward(LogicalProcess<M>& lp) {
    std::uint32_t i = lp.history.size() - 1;
    while (!saver_.can_restore(lp.history[i].saved)) --i;
    saver_.restore(events_[lp.history[i].event].view(), lp.history[i].saved, lp.state);
    for (; i < lp.history.size(); ++i) {
      const EventView<M> event = events_[lp.history[i].event].view();
      context_.begin(event.receiver, event.key, lp.state);
      call_handler(model_, context_, event.payload);
      ++statistics_.coasted;
    }
  }

  const M& model_;
  Context<M>& context_;
  StateSaver<M>& saver_;
  LocalEvents<M, Set>& events_;
  OutputQueue<M, Link>& output_queue_;
  EndOfRun& end_;
  Statistics& statistics_;
  std::vector<std::pair<LogicalProcess<M>*, Key>> canceled_processed_;
};

}  // namespace laxity::timewarp
