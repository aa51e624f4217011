// One clock for all processes of an MPI communicator: that of rank 0.
//
// Source: HCA3 of Hunold and Carpen-Amarie, Hierarchical clock synchronization in MPI (CLUSTER 2018): in log2 p rounds
// those who know the global clock teach it to as many others, answering with the corrected clock, so that no models are
// merged. Processes that read the same clock learn it once and pass the model on; where they are measured all the same,
// their drift is 0. Invariants: rank 0 keeps the identity model; who waits for its turn sleeps, so that measuring pairs
// have the cores of a crowded machine. Threads: one of each process; the library must allow MPI calls from it.
// Elsewhere: the bounds from exchanges (offset_envelope.hpp), the line between them (offset_bounds.hpp), what a clock is
// worth after a while (`laxity clock`, benchmarks/clock_sync).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>

#include "laxity/clock/clock_identity.hpp"
#include "laxity/clock/clock_model.hpp"
#include "laxity/clock/wait_until.hpp"

namespace laxity {

/// Reads the clock that is to be synchronized, in ns.
using ReadClock = std::function<std::int64_t()>;

struct SyncOptions {
  int fit_points = 100;                        ///< bursts of exchanges for a line, in each round; at least 1
  std::int64_t fit_window_ns = 1'000'000'000;  ///< over which they are spread: a round takes so long
  int exchanges_at_most = 200;                 ///< in one burst
  int fruitless_exchanges = 20;                ///< a burst is done after so many that did not narrow its envelope
  bool propagate = true;                       ///< inside a host, learn a shared clock once; false: measure everybody
  bool remeasure_offset = false;               ///< replace the line's offset by one measured right at the end
  Waiting waiting = Waiting::yield;  ///< for messages: spin leaves it to MPI, which is right on a core of one's own
};

/// The clock of a process after synchronization.
struct SyncedClock {
  ClockModel model;         ///< from the clock that was read to that of rank 0
  bool propagated = false;  ///< learned from a process that reads the same clock
  int hops = 0;             ///< measurements between rank 0 and here; 0: no error but that of reading
  double width_ns = 0;      ///< of the offsets that were possible when the last of them ended
};

/// Collective over `comm`. `identity` says which clock `read` reads. Takes about log2(clocks) * fit_window_ns, and no
/// time worth mentioning if all processes read one clock. Throws UsageError for options that make no sense.
[[nodiscard]] SyncedClock synchronize_clock(MPI_Comm comm, const ReadClock& read, ClockIdentity identity,
                                            const SyncOptions& options = {});

/// The clock of rank 0, in all processes: its readings can be compared and waited for.
using GlobalClock = ModeledClock<SteadyClock>;

/// Collective over `comm`; synchronizes the steady clock.
[[nodiscard]] GlobalClock synchronized_steady_clock(MPI_Comm comm, const SyncOptions& options = {});

}  // namespace laxity
