// The shared events of a worker: memory for events on loan to other workers, and reuse of those that were released.
//
// A worker can loan as many events as it may have records. Beyond that, events are copied, so that events on loan never
// keep a worker from sending, and a shortage of memory is handled as without sharing.
//
// With each loan a worker polls a few earlier ones. Events at or after GVT are rarely released yet and are not polled.
// Most others are, so that reusing an event costs about one cache line that another core has written.
//
// Invariant: an event is reused only after its release. Threads: one, except for the events themselves
// (shared_event.hpp). Must outlive all workers of the run, since receivers may read the events of a worker that has
// ended or failed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "laxity/check.hpp"
#include "laxity/timewarp/event.hpp"
#include "laxity/timewarp/exchange/shared_event.hpp"
#include "laxity/timewarp/state/event_pool.hpp"
#include "laxity/timewarp/state/memory_placement.hpp"
#include "laxity/timewarp/worker_options.hpp"

namespace laxity::timewarp {

template <class Event>
class LoanedEvents {
 public:
  /// Room for `capacity` events on loan. Throws SystemError.
  LoanedEvents(std::size_t capacity, MemoryPlacement placement) : events_(capacity, placement) {}

  /// Loans a copy of the event; nullptr if there is no room. `time` is that of the event, `gvt` that of GVT (TimeBits).
  [[nodiscard]] SharedEvent<Event>* loan(const Event& event, std::uint64_t time, std::uint64_t gvt) {
    for (int polls = 0; polls < polls_per_loan && !loans_.empty(); ++polls) poll_next(gvt);
    const EventId id = events_.allocate();
    if (id == no_event) return nullptr;
    SharedEvent<Event>& loaned = events_[id];
    LAXITY_DCHECK(loaned.is_released());
    loaned.loan(event);
    loans_.push_back({time, id});
    return &loaned;
  }

  /// Number of events on loan; polls all of them.
  [[nodiscard]] std::size_t in_use() noexcept {
    next_ = 0;
    for (std::size_t polls = loans_.size(); polls > 0; --polls) poll_next(std::numeric_limits<std::uint64_t>::max());
    return events_.in_use();
  }
  [[nodiscard]] std::size_t peak_in_use() const noexcept { return events_.peak_in_use(); }

 private:
  struct Loan {
    std::uint64_t time;
    EventId id;
  };

  void poll_next(std::uint64_t gvt) {
    if (next_ >= loans_.size()) next_ = 0;
    const Loan& polled = loans_[next_];
    if (polled.time >= gvt || !events_[polled.id].is_released()) {
      ++next_;
      return;
    }
    events_.release(polled.id);
    loans_[next_] = loans_.back();
    loans_.pop_back();
  }

  static constexpr int polls_per_loan = 4;

  EventPool<SharedEvent<Event>> events_;
  std::vector<Loan> loans_;  // in no order
  std::size_t next_ = 0;     // the loan that is polled next
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
  /// Number of events on loan from all workers.
  [[nodiscard]] std::size_t in_use() const noexcept {
    std::size_t sum = 0;
    for (const auto& loaned : of_workers_) sum += loaned->in_use();
    return sum;
  }

 private:
  std::vector<std::unique_ptr<LoanedEvents<Event>>> of_workers_;
};

}  // namespace laxity::timewarp
