// How the workers of an optimistic run work. Elsewhere: the team that they form (run_options.hpp), the worker
// (optimistic_worker.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "laxity/timewarp/optimism.hpp"
#include "laxity/timewarp/state/memory_placement.hpp"

namespace laxity::timewarp {

/// How threads of one process pass events to one another. Between processes events are always copied.
enum class SentEvents : std::uint8_t {
  copied,  ///< into the receiver's memory
  shared,  ///< the receiver reads them in the sender's memory; events smaller than an address are copied
};

/// The same for every worker of a run.
struct WorkerOptions {
  Optimism optimism = Optimism::scale_free;
  std::uint64_t gvt_interval = 1024;              ///< events that a worker processes between two GVT rounds
  std::size_t turn = 32;                          ///< events that a worker processes between two polls for messages
  std::size_t max_events = std::size_t{1} << 24;  ///< event records of a worker, 1024 to 2^29 - 2
  /// Bytes for the events of a worker: records, histories with saved states, stubs, events that wait outside of event
  /// memory. The states of its processes, with room for two saved ones each, come first. No bound of its own: the run
  /// gives each worker its part (RunOptions::max_memory).
  std::size_t max_memory = std::numeric_limits<std::size_t>::max();
  MemoryPlacement memory = MemoryPlacement::local;
  SentEvents events = SentEvents::copied;  ///< shared: for threads of one process only
  bool lookahead = true;                   ///< whether the model's lookahead is used, if it has one
  bool digest = false;                     ///< costs a hash of every event and of the state after it
  std::string event_log{};                 ///< directory for the log of committed events (event_log.hpp); empty: no log
};

}  // namespace laxity::timewarp
