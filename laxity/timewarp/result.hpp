// What is simulated, and what a run returns: the same for every engine.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/timewarp/context.hpp"

namespace laxity::timewarp {

/// A run that was ended from outside, by a signal or by who watches it.
class Interrupted : public Error {
 public:
  Interrupted() : Error("interrupted") {}
};

/// What is simulated. Two runs of the same Simulation commit the same events, whatever engine runs them.
template <Model M>
struct Simulation {
  M model;
  Bounds<M> bounds;
  std::uint64_t seed = 1;
};

/// Counts of one worker, or of all together.
struct Statistics {
  std::uint64_t committed = 0;            ///< events that are final
  std::uint64_t processed = 0;            ///< events handled, also those taken back
  std::uint64_t rolled_back = 0;          ///< events taken back
  std::uint64_t coasted = 0;              ///< events handled again to bring back a state (state_saving.hpp)
  std::uint64_t primary_rollbacks = 0;    ///< caused by a straggler
  std::uint64_t secondary_rollbacks = 0;  ///< caused by an event that was canceled
  std::uint64_t anti_messages = 0;        ///< sent to other workers; one cancels several events
  std::uint64_t remote_events = 0;        ///< sent to other workers
  std::uint64_t shared_events = 0;        ///< sent to other workers without a copy, also by init()
  std::uint64_t local_events = 0;         ///< sent to own logical processes
  std::uint64_t throttled = 0;            ///< turns in which the next event was held back by the window or for memory
  std::uint64_t gvt_rounds = 0;
  std::uint64_t peak_events = 0;  ///< records in use at most, stubs of remote events included

  /// The share of processed events that were committed, in [0, 1]; 1 if none was processed.
  [[nodiscard]] double efficiency() const noexcept {
    return processed == 0 ? 1.0 : static_cast<double>(committed) / static_cast<double>(processed);
  }

  Statistics& operator+=(const Statistics& other) noexcept {
    committed += other.committed;
    processed += other.processed;
    rolled_back += other.rolled_back;
    coasted += other.coasted;
    primary_rollbacks += other.primary_rollbacks;
    secondary_rollbacks += other.secondary_rollbacks;
    anti_messages += other.anti_messages;
    remote_events += other.remote_events;
    shared_events += other.shared_events;
    local_events += other.local_events;
    throttled += other.throttled;
    gvt_rounds = gvt_rounds > other.gvt_rounds ? gvt_rounds : other.gvt_rounds;
    peak_events += other.peak_events;
    return *this;
  }
};

template <Model M>
struct Result {
  std::vector<typename M::State> states;       ///< at the end, by logical process
  std::vector<Statistics> workers;             ///< by worker; one for a sequential run
  std::uint64_t digest = 0;                    ///< of all committed events (digest.hpp); 0 unless asked for
  std::optional<typename M::Time> ended_at{};  ///< when the model ended the run (ModelThatEnds), if it did
  double seconds = 0;                          ///< from the first event to the last, without set-up

  [[nodiscard]] Statistics total() const noexcept {
    Statistics sum;
    for (const Statistics& worker : workers) sum += worker;
    return sum;
  }
};

}  // namespace laxity::timewarp
