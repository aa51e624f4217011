// Fossil collection: history that no rollback can reach is committed and freed.
//
// The history of a logical process is collected when the process is about to handle an event, and by a cursor that
// advances over a few processes every turn, so that idle processes do not keep theirs. All histories are walked only
// when event memory is short and at the end of the run.
//
// Source: Jefferson, Virtual time, ACM TOPLAS 7 (1985). With periodic state saving a committed event stays in the
// history as long as a later one needs it to coast forward (Rönngren and Ayani, PADS 1994).
// Invariants: events are committed oldest first; the oldest event that stays in a history can be restored on its own.
// Threads: one. Elsewhere: what committing means (event_committer.hpp), the bound (gvt.hpp, lookahead_horizon.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "laxity/timewarp/exchange/exchange.hpp"
#include "laxity/timewarp/exchange/output_queue.hpp"
#include "laxity/timewarp/key.hpp"
#include "laxity/timewarp/model.hpp"
#include "laxity/timewarp/pending/pending_event.hpp"
#include "laxity/timewarp/state/event_committer.hpp"
#include "laxity/timewarp/state/history.hpp"
#include "laxity/timewarp/state/local_events.hpp"
#include "laxity/timewarp/state/state_saving.hpp"

namespace laxity::timewarp {

template <Model M, PendingSet Set, Exchange<M> Link>
class FossilCollector {
 public:
  /// The references must outlive this.
  FossilCollector(StateSaver<M>& saver, LocalEvents<M, Set>& events, OutputQueue<M, Link>& output_queue,
                  EventCommitter<M>& committer) noexcept
      : saver_(saver), events_(events), output_queue_(output_queue), committer_(committer) {}

  /// Commits the events of the process below `irrevocable_below`, and frees all that no rollback needs.
  void collect_fossils(LogicalProcess<M>& lp, const Key& irrevocable_below) {
    History<M>& history = lp.history;
    if (history.empty()) return;
    const std::uint32_t size = history.size();
    std::uint32_t committed = lp.committed;
    while (committed < size && history[committed].key < irrevocable_below) commit(lp, committed++);
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

  /// Collects the fossils of the next `count` processes, in a cycle over all.
  void collect_next_fossils(std::size_t count, const Key& irrevocable_below) {
    std::vector<LogicalProcess<M>>& processes = events_.processes();
    if (processes.empty()) return;
    for (std::size_t i = 0; i < count; ++i) {
      if (++cursor_ >= processes.size()) cursor_ = 0;
      collect_fossils(processes[cursor_], irrevocable_below);
    }
  }

  void collect_all_fossils(const Key& irrevocable_below) {
    for (LogicalProcess<M>& lp : events_.processes()) collect_fossils(lp, irrevocable_below);
  }

 private:
  void commit(LogicalProcess<M>& lp, std::uint32_t i) {
    const HistoryEntry<M>& entry = lp.history[i];
    committer_.commit(entry.event, events_[entry.event], state_after(lp, i));
    output_queue_.discard(entry.remote_sends);
  }

  // The state after an event is the copy before the next one. nullptr if the model does not need it.
  [[nodiscard]] static const typename M::State* state_after(LogicalProcess<M>& lp, std::uint32_t i) {
    if constexpr (ModelThatCommits<M> && state_saving_of<M>() == StateSaving::copy)
      return i + 1 == lp.history.size() ? &lp.state.model : &lp.history[i + 1].saved.model;
    return nullptr;
  }

  StateSaver<M>& saver_;
  LocalEvents<M, Set>& events_;
  OutputQueue<M, Link>& output_queue_;
  EventCommitter<M>& committer_;
  std::size_t cursor_ = 0;  // the process that was collected last by collect_next_fossils()
};

}  // namespace laxity::timewarp
