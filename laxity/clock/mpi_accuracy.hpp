// The accuracy of synchronized clocks and of timed starts: clock errors, starts in time, and the spread of the times at
// which processes leave a timed start and a barrier.
//
// If a process reads the same steady clock as rank 0, its error is exact: both clocks are computed from one reading.
// Otherwise the error is measured by exchanges of messages, with the uncertainty of their envelope. Errors can be
// injected into the clocks, so that synchronization can be tested on one host.
// Threads: one of each process.
// Elsewhere: synchronization (mpi_sync.hpp), starts (mpi_start.hpp), printing (apps/laxity/clock/clock.cpp).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "laxity/clock/mpi_start.hpp"
#include "laxity/clock/mpi_sync.hpp"
#include "laxity/clock/wait_until.hpp"

namespace laxity {

struct AccuracyOptions {
  SyncOptions sync;
  bool wrong_clocks = false;            ///< injects another offset and drift into the clock of every process
  double max_offset_ns = 1e9;           ///< of wrong clocks
  double max_drift = 50e-6;             ///< of wrong clocks
  std::uint64_t seed = 1;               ///< of wrong clocks
  std::vector<double> moments_s{0, 4};  ///< times after synchronization, ascending, at which errors are measured
  int starts = 1000;                    ///< rounds, each a timed start and a barrier
  StartOptions start;
};

/// The error of the clock of one process at one time.
struct ClockError {
  std::int32_t rank = 0;
  std::int32_t hops = 0;      ///< as in SyncedClock
  double after_s = 0;         ///< since the end of synchronization
  double error_ns = 0;        ///< global clock of this rank minus that of rank 0
  double uncertainty_ns = 0;  ///< 0: exact, from a shared clock; otherwise half the width of the envelope
  double offset_ns = 0;       ///< of the model
  double drift = 0;           ///< of the model
  double injected_drift = 0;  ///< injected drift relative to rank 0
};

/// The spread of the times at which the processes leave a round: last minus first.
struct ExitSpread {
  double median_us = 0;  ///< median over the rounds
  double p95_us = 0;     ///< exceeded by one round in twenty
};

struct AccuracyReport {
  int processes = 0;
  int hosts = 0;
  double synchronization_s = 0;
  DeadlineWait waiting = DeadlineWait::spin;
  std::vector<ClockError> errors;  ///< by time, then by rank; at rank 0 only
  int starts = 0;
  int starts_in_time = 0;     ///< starts that were in time on all processes
  double final_slack_us = 0;  ///< of rank 0
  ExitSpread start;           ///< of the timed starts that were in time
  ExitSpread barrier;         ///< of MPI_Barrier, of all rounds
};

/// Collective over `comm`; the report is complete on rank 0. Throws UsageError like synchronize_clock().
[[nodiscard]] AccuracyReport measure_accuracy(MPI_Comm comm, const AccuracyOptions& options);

/// The global clock of each process minus that of rank 0, in ns, measured by exchanges of messages with one process
/// after another; the uncertainty is half the width of the envelope. Collective over `comm`.
struct MeasuredError {
  double error_ns = 0;
  double uncertainty_ns = 0;
};
[[nodiscard]] MeasuredError measured_error(MPI_Comm comm, const ReadClock& global);

}  // namespace laxity
