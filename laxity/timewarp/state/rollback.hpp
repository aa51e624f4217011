// Rollback: restores the states before events that were processed too early, and cancels the events that they sent.
//
// Events of this worker that a rollback cancels are rolled back in the same call, without messages and without
// recursion. Events of other workers are canceled by anti-messages at its end, each of which cancels as many events as
// fit.
//
// Source: Jefferson, Virtual time, ACM TOPLAS 7 (1985), with aggressive cancellation.
// Invariant: no event below GVT is rolled back. Threads: one. Elsewhere: events (local_events.hpp, output_queue.hpp),
// when to roll back (optimistic_worker.hpp), saved states (state_saving.hpp).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "laxity/check.hpp"
#include "laxity/timewarp/context.hpp"
#include "laxity/timewarp/end_of_run.hpp"
#include "laxity/timewarp/event.hpp"
#include "laxity/timewarp/exchange/exchange.hpp"
#include "laxity/timewarp/exchange/output_queue.hpp"
#include "laxity/timewarp/key.hpp"
#include "laxity/timewarp/model.hpp"
#include "laxity/timewarp/pending/pending_event.hpp"
#include "laxity/timewarp/state/history.hpp"
#include "laxity/timewarp/state/local_events.hpp"
#include "laxity/timewarp/state/state_saving.hpp"
#include "laxity/timewarp/statistics.hpp"

namespace laxity::timewarp {

template <Model M, PendingSet Set, Exchange<M> Link>
class Rollback {
 public:
  /// The references must outlive this.
  Rollback(const M& model, Context<M>& context, StateSaver<M>& saver, LocalEvents<M, Set>& events,
           OutputQueue<M, Link>& output_queue, EndOfRun& end, Statistics& statistics) noexcept
      : model_(model),
        context_(context),
        saver_(saver),
        events_(events),
        output_queue_(output_queue),
        end_(end),
        statistics_(statistics) {}

  /// Rolls back every event of the process from `key` on, and the events of this worker that these caused.
  void roll_back(LogicalProcess<M>& lp, const Key& key) {
    roll_back_process(lp, key);
    roll_back_canceled();
  }

  /// Rolls back every event of all processes from `key` on.
  void roll_back_all(const Key& key) {
    for (LogicalProcess<M>& lp : events_.processes()) {
      if (!lp.history.empty() && !(lp.history.back().key < key)) roll_back_process(lp, key);
    }
    roll_back_canceled();
  }

  /// Cancels an event. A pending one is freed when it would be the next event; a processed one is rolled back by
  /// roll_back_canceled().
  void cancel(EventId id) {
    HistoryRecord<M>& event = events_[id];
    LAXITY_DCHECK(!event.is(EventStatus::canceled));
    if (event.is(EventStatus::processed)) {
      canceled_processed_.push_back({&events_.process(event.receiver), event.key});
      event.set_status(EventStatus::canceled);
    } else {
      events_.mark_canceled(id);
    }
  }

  /// Rolls back canceled events and the events of this worker that these caused; then sends the anti-messages.
  void roll_back_canceled() {
    while (!canceled_processed_.empty()) {
      const auto [lp, key] = canceled_processed_.back();
      canceled_processed_.pop_back();
      if (lp->history.empty() || lp->history.back().key < key) continue;  // rolled back already
      ++statistics_.secondary_rollbacks;
      roll_back_process(*lp, key);
    }
    statistics_.anti_messages += output_queue_.send_anti_messages();
  }

  /// Restores the state before the newest event of the history and removes the event. Its handler may have thrown; none
  /// of the events that it sent were delivered.
  void restore_before_newest(LogicalProcess<M>& lp) {
    if (!restore_newest(lp)) coast_forward(lp);
  }

 private:
  // Makes the events pending again, or frees them if they were canceled.
  void roll_back_process(LogicalProcess<M>& lp, const Key& key) {
    bool restored = true;
    while (!lp.history.empty() && !(lp.history.back().key < key)) {
      const HistoryEntry<M>& entry = lp.history.back();  // valid until another is added
      HistoryRecord<M>& event = events_[entry.event];
      restored = restore_newest(lp);
      ++statistics_.rolled_back;
      if constexpr (ModelThatEnds<M>) {
        if (event.clear_end()) end_.rolled_back(entry.key.time);
      }
      EventId child = entry.local_sends;
      for (std::uint32_t remaining = entry.local_send_count; remaining > 0; --remaining) {
        cancel(child);
        if (remaining > 1) child = events_.link(child);
      }
      output_queue_.cancel(entry.remote_sends);
      if (event.is(EventStatus::canceled)) {
        events_.release(entry.event);
      } else {
        events_.requeue(entry.key, entry.event);
      }
    }
    if (!restored) coast_forward(lp);
    saver_.rolled_back();
  }

  // False: the state before it was not saved, so that coast_forward() has to compute it.
  [[nodiscard]] bool restore_newest(LogicalProcess<M>& lp) {
    HistoryEntry<M>& newest = lp.history.back();
    saver_.restore(events_[newest.event].view(), newest.saved, lp.state);
    const bool restored = saver_.can_restore(newest.saved);
    saver_.discard(newest.saved);
    lp.history.pop_back();
    return restored;
  }

  // Coast forward: computes the state after the newest event of the history from the latest saved state, by handling
  // the events since then again without sending.
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
