// What a worker of the optimistic engine has of a simulation: its logical processes, the records of their events, and
// which of these wait to be processed.
//
// A record is in the pending-event set or in the history of its process. One that is canceled while it waits stays in
// the set, marked, until it is reached, or until memory is short.
//
// Threads: one. Elsewhere: who processes events (optimistic_worker.hpp) and takes them back (rollback.hpp), where those
// from other workers come from (received_events.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "laxity/timewarp/partition.hpp"
#include "laxity/timewarp/pending/pending_event.hpp"
#include "laxity/timewarp/result.hpp"
#include "laxity/timewarp/state/event_pool.hpp"
#include "laxity/timewarp/state/history.hpp"

namespace laxity::timewarp {

template <Model M, PendingSet Set>
class LocalEvents {
 public:
  using Record = HistoryRecord<M>;

  /// The processes of this worker in their first state, and room for so many records; `may_be_shared`: whether events from
  /// elsewhere may be. Throws SystemError.
  LocalEvents(const Simulation<M>& simulation, const Partition& partition, int worker, std::size_t max_events,
              MemoryPlacement placement, bool may_be_shared)
      : first_(partition.first(worker)), records_(max_events, placement), may_be_shared_(may_be_shared) {
    for (LpId lp = first_; lp < first_ + partition.size(worker); ++lp) {
      processes_.push_back({.state = first_state<M>(simulation.seed, lp)});
    }
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
  [[nodiscard]] std::size_t free_count() const noexcept { return records_.free_count(); }
  [[nodiscard]] std::size_t in_use() const noexcept { return records_.in_use(); }
  [[nodiscard]] std::size_t peak_in_use() const noexcept { return records_.peak_in_use(); }
  void release(EventId event) {
    if (may_be_shared_ && records_[event].is_shared()) records_[event].shared_event().release();
    records_.release(event);
  }
  /// Beside the record, since few need it: of an event from here, the one before it of those that the same event sent; of
  /// one from elsewhere its sender's handle. Unset in a new one.
  [[nodiscard]] std::uint32_t& link(EventId event) {
    if (links_.size() <= event) links_.resize(std::max<std::size_t>(event + 1, 2 * links_.size()));
    return links_[event];
  }

  // ---- events that wait ----

  [[nodiscard]] const PendingEvent* next() { return pending_.top(); }
  void pop() { pending_.pop(); }

  /// A new event, which waits from now on; there must be room. `origin` says who sent it (HistoryRecord::from).
  EventId add(const Key& key, LpId receiver, const typename M::Event& payload, std::uint32_t origin) {
    const EventId id = begin(key, receiver, origin);
    records_[id].payload = payload;
    pending_.push({key, receiver, id});
    return id;
  }
  /// The same, with a payload that stays where it is.
  EventId add_shared(const Key& key, LpId receiver, SharedEvent<typename M::Event>& event, std::uint32_t origin) {
    const EventId id = begin(key, receiver, origin);
    records_[id].refer_to(event);
    pending_.push({key, receiver, id});
    return id;
  }

  /// An event that was popped, or taken back, waits again.
  void requeue(const Key& key, EventId event) {
    records_[event].set_mark(Mark::pending);
    pending_.push({key, records_[event].receiver, event});
  }

  void mark_canceled(EventId event) noexcept {
    records_[event].set_mark(Mark::canceled);
    ++canceled_;
  }

  /// A canceled event that was popped is gone.
  void drop(EventId canceled) {
    release(canceled);
    --canceled_;
  }

  /// Canceled events that still wait, and so keep their records.
  [[nodiscard]] std::size_t canceled() const noexcept { return canceled_; }
  void drop_canceled() {
    remove_if([](const PendingEvent&, const Record&) { return false; });
  }

  /// Takes out of the set what is canceled, and all for which leaves(PendingEvent, Record) says so, in their order; who
  /// says so has them, and gives their records back.
  template <class Leaves>
  void remove_if(Leaves leaves) {
    staying_.clear();
    for (const PendingEvent* next = pending_.top(); next != nullptr; next = pending_.top()) {
      const PendingEvent event = *next;
      pending_.pop();
      if (records_[event.event].is(Mark::canceled)) {
        drop(event.event);
      } else if (!leaves(event, records_[event.event])) {
        staying_.push_back(event);
      }
    }
    for (const PendingEvent& event : staying_) pending_.push(event);
  }

  // ---- speed ----

  /// Asks for the memory of events that come soon, and, if `histories` are used, of the ends of their processes' once these
  /// are here.
  [[gnu::always_inline]] void prefetch(bool histories) {
    if constexpr (requires { pending_.upcoming(); }) {
      const auto upcoming = pending_.upcoming();
      if (upcoming.empty()) return;
      if (histories) {
        for (const LogicalProcess<M>* lp : asked_for_) {
          prefetch_entry(lp->history.end());
          prefetch_entry(lp->history.oldest());
        }
        asked_for_.clear();
      }
      for (const PendingEvent& soon : upcoming) {
        records_.prefetch(soon.event);
        __builtin_prefetch(&process(soon.receiver), 1);
        if (histories) asked_for_.push_back(&process(soon.receiver));
      }
    }
  }

 private:
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
  EventPool<Record> records_;
  bool may_be_shared_;
  std::vector<std::uint32_t> links_;
  Set pending_;
  std::size_t canceled_ = 0;
  std::vector<PendingEvent> staying_;                // for remove_if()
  std::vector<const LogicalProcess<M>*> asked_for_;  // by the last prefetch()
};

}  // namespace laxity::timewarp
