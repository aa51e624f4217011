// Clock synchronization: a global clock for all processes of an MPI communicator, that of rank 0.
//
// Source: HCA3 of Hunold and Carpen-Amarie, Hierarchical clock synchronization in MPI (CLUSTER 2018). In log2 p rounds,
// each process that knows the global clock is the reference of one that does not. It answers with the corrected clock,
// so models need not be merged. Of the processes that read the same clock, one measures it and passes the model on; if
// they are measured one by one, their drift is 0.
// Invariants: rank 0 has the identity model. Processes that wait for their round sleep, so that measuring pairs have
// the cores of an oversubscribed host.
// Threads: one of each process, from which the library must allow MPI calls.
// Elsewhere: the bounds from exchanges (offset_envelope.hpp), the line between them (offset_bounds.hpp), accuracy
// (mpi_accuracy.hpp, benchmarks/clock_sync).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>

#include "laxity/clock/clock.hpp"
#include "laxity/clock/clock_identity.hpp"
#include "laxity/clock/clock_model.hpp"
#include "laxity/clock/wait_until.hpp"

namespace laxity {

/// Reads the clock that is to be synchronized, in ns.
using ReadClock = std::function<std::int64_t()>;

struct SyncOptions {
  int fit_points = 100;                        ///< bursts of exchanges for a line, in each round; at least 1
  std::int64_t fit_window_ns = 1'000'000'000;  ///< the time that the bursts of a round are spread over
  int max_exchanges = 200;                     ///< in one burst
  int fruitless_exchanges = 20;   ///< number in a row that do not narrow the envelope, after which a burst ends
  bool propagate = true;          ///< measure a clock that processes share once; false: measure every process
  bool remeasure_offset = false;  ///< replace the line's offset by one measured at the end
  DeadlineWait waiting = DeadlineWait::yield;  ///< for messages; spin uses MPI_Wait, for processes with a core each
};

/// The clock of a process after synchronization.
struct SyncedClock {
  ClockModel model;         ///< from the clock that `read` reads to that of rank 0
  bool propagated = false;  ///< received from a process that reads the same clock
  int hops = 0;             ///< measurements between rank 0 and this process; 0: only the error of reading
  double width_ns = 0;      ///< of the range of possible offsets at the end of the last measurement
};

/// Collective over `comm`. `identity` is that of the clock that `read` reads. Takes about log2(clocks) * fit_window_ns,
/// hardly any time if all processes read one clock. Throws UsageError for invalid options.
[[nodiscard]] SyncedClock synchronize_clock(MPI_Comm comm, const ReadClock& read, ClockIdentity identity,
                                            const SyncOptions& options = {});

/// The clock of rank 0, in all processes: readings of different processes can be compared.
using GlobalClock = ModeledClock<SteadyClock>;

/// Collective over `comm`; synchronizes the steady clock.
[[nodiscard]] GlobalClock synchronized_steady_clock(MPI_Comm comm, const SyncOptions& options = {});

}  // namespace laxity
