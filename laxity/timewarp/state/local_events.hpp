// The part of a simulation that one worker of the optimistic engine owns: its logical processes, the records of their
// events, and the pending-event set.
//
// Invariants: a record in use is in the pending-event set or in the history of its process. A pending event that is
// canceled stays in the set until it would be the next event, or until memory is short.
// Threads: one. Elsewhere: processing (optimistic_worker.hpp), rollback (rollback.hpp), events from other workers
// (received_events.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "laxity/timewarp/event.hpp"
#include "laxity/timewarp/exchange/shared_event.hpp"
#include "laxity/timewarp/key.hpp"
#include "laxity/timewarp/model.hpp"
#include "laxity/timewarp/partition.hpp"
#include "laxity/timewarp/pending/pending_event.hpp"
#include "laxity/timewarp/result.hpp"
#include "laxity/timewarp/state/event_pool.hpp"
#include "laxity/timewarp/state/history.hpp"
#include "laxity/timewarp/state/memory_placement.hpp"

namespace laxity::timewarp {

template <Model M, PendingSet Set>
class LocalEvents {
 public:
  using Record = HistoryRecord<M>;

  /// The processes of this worker in their initial state, and memory for `max_events` records; `may_be_shared`: whether
  /// events from other workers may be shared; `pending`: an empty set. Throws SystemError.
  LocalEvents(const Simulation<M>& simulation, const Partition& partition, int worker, std::size_t max_events,
              MemoryPlacement placement, bool may_be_shared, Set pending)
      : first_(partition.first(worker)),
        processes_(partition.size(worker)),
        records_(max_events, placement),
        may_be_shared_(may_be_shared),
        pending_(std::move(pending)) {
    for (LpId i = 0; i < processes_.size(); ++i)
      processes_[i].state.random = first_random<M>(simulation.seed, first_ + i);
  }

  // ---- processes ----

  [[nodiscard]] std::vector<LogicalProcess<M>>& processes() noexcept { return processes_; }
  [[nodiscard]] const std::vector<LogicalProcess<M>>& processes() const noexcept { return processes_; }
  [[nodiscard]] LpId first_process() const noexcept { return first_; }
  [[nodiscard]] bool owns(LpId lp) const noexcept { return lp - first_ < processes_.size(); }
  [[nodiscard]] LogicalProcess<M>& process(LpId lp) noexcept { return processes_[lp - first_]; }

  // ---- records ----

  [[nodiscard]] Record& operator[](EventId event) noexcept { return records_[event]; }
  [[nodiscard]] std::size_t capacity() const noexcept { return records_.capacity(); }
  /// Number of history entries allocated for all processes, for History::push_back().
  [[nodiscard]] std::size_t& history_entries() noexcept { return history_entries_; }
  void shrink_histories() {
    for (LogicalProcess<M>& lp : processes_) lp.history.shrink(history_entries_);
  }
  /// Of records and histories in use, without the first room of each history.
  [[nodiscard]] std::size_t bytes_in_use() const noexcept {
    return records_.in_use() * EventPool<Record>::bytes_per_record() +
           (history_entries_ - first_entries()) * sizeof(HistoryEntry<M>);
  }
  /// Of processes with the first room of their histories.
  [[nodiscard]] static constexpr std::size_t bytes_of_processes(std::size_t processes) noexcept {
    return processes * (sizeof(LogicalProcess<M>) + History<M>::first_capacity * sizeof(HistoryEntry<M>));
  }
  [[nodiscard]] std::size_t free_count() const noexcept { return records_.free_count(); }
  [[nodiscard]] std::size_t in_use() const noexcept { return records_.in_use(); }
  [[nodiscard]] std::size_t peak_in_use() const noexcept { return records_.peak_in_use(); }
  void release(EventId event) {
    if (may_be_shared_ && records_[event].is_shared()) records_[event].shared_event().release();
    records_.release(event);
  }
  /// For an event sent by this worker: the event before it with the same sender. For an event from another worker: its
  /// handle. Not set in a new event. Kept apart from the record, since few events need it.
  [[nodiscard]] std::uint32_t& link(EventId event) {
    if (links_.size() <= event) links_.resize(std::max<std::size_t>(event + 1, 2 * links_.size()));
    return links_[event];
  }

  // ---- pending events ----

  [[nodiscard]] const PendingEvent* next() { return pending_.top(); }
  void pop() { pending_.pop(); }

  /// Adds a pending event; a record must be free. `origin`: HistoryRecord::local_origin or origin_of().
  EventId add(const Key& key, LpId receiver, const typename M::Event& payload, std::uint32_t origin) {
    const EventId id = begin(key, receiver, origin);
    records_[id].payload = payload;
    pending_.push({key, receiver, id});
    return id;
  }
  /// Adds a pending event whose payload is on loan.
  EventId add_shared(const Key& key, LpId receiver, SharedEvent<typename M::Event>& event, std::uint32_t origin) {
    const EventId id = begin(key, receiver, origin);
    records_[id].refer_to(event);
    pending_.push({key, receiver, id});
    return id;
  }

  /// Makes an event that was popped or rolled back pending again.
  void requeue(const Key& key, EventId event) {
    records_[event].set_status(EventStatus::pending);
    pending_.push({key, records_[event].receiver, event});
  }

  /// Cancels a pending event; its record stays in use until drop() or drop_canceled().
  void mark_canceled(EventId event) noexcept {
    records_[event].set_status(EventStatus::canceled);
    ++canceled_;
  }

  /// Frees a canceled event that was popped.
  void drop(EventId canceled) {
    release(canceled);
    --canceled_;
  }

  /// Number of canceled events in the pending-event set.
  [[nodiscard]] std::size_t canceled() const noexcept { return canceled_; }
  void drop_canceled() {
    remove_if([](const PendingEvent&, const Record&) { return false; });
  }

  /// Removes the canceled events from the set and frees them, and removes all others for which
  /// `predicate(PendingEvent, Record)` is true, in the order of keys; their records are then the predicate's to
  /// release.
  template <class Predicate>
  void remove_if(Predicate predicate) {
    kept_.clear();
    for (const PendingEvent* next = pending_.top(); next != nullptr; next = pending_.top()) {
      const PendingEvent event = *next;
      pending_.pop();
      if (records_[event.event].is(EventStatus::canceled)) {
        drop(event.event);
      } else if (!predicate(event, records_[event.event])) {
        kept_.push_back(event);
      }
    }
    for (const PendingEvent& event : kept_) pending_.push(event);
  }

  // ---- prefetching ----

  /// Prefetches the records and processes of the events that are next, and, if `histories` are used, both ends of the
  /// histories of the processes that the previous call has prefetched.
  [[gnu::always_inline]] void prefetch(bool histories) {
    if constexpr (requires { pending_.upcoming(); }) {
      const auto upcoming = pending_.upcoming();
      if (upcoming.empty()) return;
      if (histories) {
        for (const LogicalProcess<M>* lp : prefetched_) {
          prefetch_entry(lp->history.end());
          prefetch_entry(lp->history.oldest());
        }
        prefetched_.clear();
      }
      for (const PendingEvent& soon : upcoming) {
        records_.prefetch(soon.event);
        __builtin_prefetch(&process(soon.receiver), 1);
        if (histories) prefetched_.push_back(&process(soon.receiver));
      }
    }
  }

 private:
  [[nodiscard]] std::size_t first_entries() const noexcept { return processes_.size() * History<M>::first_capacity; }

  EventId begin(const Key& key, LpId receiver, std::uint32_t origin) {
    const EventId id = records_.allocate();
    Record& event = records_[id];
    event.key = key;
    event.receiver = receiver;
    event.begin(origin);
    return id;
  }

  [[gnu::always_inline]] static void prefetch_entry(const HistoryEntry<M>* entry) noexcept {
    for (std::size_t offset = 0; offset < sizeof(*entry); offset += 64) {
      __builtin_prefetch(reinterpret_cast<const std::byte*>(entry) + offset, 1);
    }
  }

  LpId first_;
  std::vector<LogicalProcess<M>> processes_;
  std::size_t history_entries_ = first_entries();
  EventPool<Record> records_;
  bool may_be_shared_;
  std::vector<std::uint32_t> links_;
  Set pending_;
  std::size_t canceled_ = 0;
  std::vector<PendingEvent> kept_;                    // for remove_if()
  std::vector<const LogicalProcess<M>*> prefetched_;  // by the previous prefetch(histories)
};

}  // namespace laxity::timewarp
