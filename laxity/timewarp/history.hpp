// What the optimistic engine remembers of an event until it is final, so that it can be taken back.
//
// A processed event is linked into the history of its logical process, oldest to newest, and knows how to bring back the
// state it found (state_saving.hpp) and what it sent. An event sent to another worker is represented here by a stub: the record's number is the handle by
// which the other side finds its copy when the event is cancelled.
//
// Invariants: a history is in the order of keys; its committed events come first, and are there only as long as an open
// one needs them to coast forward; the oldest can be restored on its own; a stub lives as long as the event that sent it may be rolled back.
// Threads: all of one worker. Elsewhere: who links and unlinks (optimistic_worker.hpp).
#pragma once

#include <cstdint>

#include "laxity/timewarp/event.hpp"
#include "laxity/timewarp/state_saving.hpp"

namespace laxity::timewarp {

/// Where an event stands; EventRecord::mark.
enum class Mark : std::uint32_t {
  pending,    ///< in the pending-event set
  processed,  ///< in a history
  cancelled,  ///< taken back by its sender; dropped when it is reached in the set or undone in the history
};

template <Model M>
struct HistoryRecord : EventRecord<M> {
  EventId older;  ///< in the history of its process
  EventId newer;
  EventId sent_here;     ///< the first of the events it sent to processes of this worker
  EventId sent_away;     ///< the first of the stubs of those that it sent to other workers
  EventId next_sent;     ///< the next that the same event sent
  std::uint32_t to;      ///< of a stub: the worker that has the event
  std::uint64_t digest;  ///< what it adds to the run's digest when it is committed
  typename StateSaver<M>::Saved saved;
};

template <Model M>
struct LogicalProcess {
  LpState<M> state;
  Key last = earliest_key;    ///< of the event processed last
  EventId oldest = no_event;  ///< of the history
  EventId newest = no_event;
  EventId open = no_event;  ///< the oldest that is not committed
};

}  // namespace laxity::timewarp
