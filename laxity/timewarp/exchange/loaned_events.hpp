// The events that a worker shares with others: where they lie, and which are back.
//
// As many as the worker may have records. Beyond, an event is copied: what others still use never keeps a worker from
// sending, so memory that is short is dealt with as it is without sharing.
//
// With each event it lends, a worker looks at a few others. One that lies ahead of GVT is hardly back yet and is not
// touched; the others are, nearly all, so a look costs about one line that another core wrote.
//
// Threads: one, but for the events themselves (shared_event.hpp). Outlives all workers of the run, as others may use its
// events when their sender has ended or failed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "laxity/timewarp/exchange/shared_event.hpp"
#include "laxity/timewarp/state/event_pool.hpp"
#include "laxity/timewarp/worker_options.hpp"

namespace laxity::timewarp {

template <class Event>
class LoanedEvents {
 public:
  /// Room for so many. Throws SystemError.
  LoanedEvents(std::size_t capacity, MemoryPlacement placement) : events_(capacity, placement) {}

  /// A copy of the event, lent; nullptr if there is no room. Times are bits (TimeBits): of the event, and GVT.
  [[nodiscard]] SharedEvent<Event>* loan(const Event& event, std::uint64_t time, std::uint64_t gvt) {
    for (int looks = 0; looks < looks_per_event && !loaned_.empty(); ++looks) look_at_next(gvt);
    const EventId id = events_.allocate();
    if (id == no_event) return nullptr;
    SharedEvent<Event>& loaned = events_[id];
    LAXITY_DCHECK(loaned.is_released());
    loaned.loan(event);
    loaned_.push_back({time, id});
    return &loaned;
  }

  /// How many others have; looks at all.
  [[nodiscard]] std::size_t in_use() noexcept {
    next_ = 0;
    for (std::size_t looks = loaned_.size(); looks > 0; --looks) look_at_next(~std::uint64_t{0});
    return events_.in_use();
  }
  [[nodiscard]] std::size_t peak_in_use() const noexcept { return events_.peak_in_use(); }  ///< loaned at most, so far

 private:
  struct Lent {
    std::uint64_t time;
    EventId id;
  };

  void look_at_next(std::uint64_t gvt) {
    if (next_ >= loaned_.size()) next_ = 0;
    const Lent& seen = loaned_[next_];
    if (seen.time >= gvt || !events_[seen.id].is_released()) {
      ++next_;
      return;
    }
    events_.release(seen.id);
    loaned_[next_] = loaned_.back();
    loaned_.pop_back();
  }

  static constexpr int looks_per_event = 4;

  EventPool<SharedEvent<Event>> events_;
  std::vector<Lent> loaned_;  // in no order
  std::size_t next_ = 0;      // to look at
};

/// One LoanedEvents for each worker of a run whose events are shared; none if they are copied.
template <class Event>
class LoanedEventsOfWorkers {
 public:
  /// Throws SystemError.
  LoanedEventsOfWorkers(int workers, SentEvents events, std::size_t capacity, MemoryPlacement placement) {
    if (events == SentEvents::copied || !is_shareable<Event>) return;
    for (int worker = 0; worker < workers; ++worker) {
      of_workers_.push_back(std::make_unique<LoanedEvents<Event>>(capacity, placement));
    }
  }

  /// nullptr: events are copied.
  [[nodiscard]] LoanedEvents<Event>* of(int worker) const noexcept {
    return of_workers_.empty() ? nullptr : of_workers_[static_cast<std::size_t>(worker)].get();
  }
  [[nodiscard]] std::size_t in_use() const noexcept {
    std::size_t all = 0;
    for (const auto& loaned : of_workers_) all += loaned->in_use();
    return all;
  }

 private:
  std::vector<std::unique_ptr<LoanedEvents<Event>>> of_workers_;
};

}  // namespace laxity::timewarp
