// What synchronized clocks and starts in time are worth: errors against a clock that processes share, rounds in time,
// and how far apart processes leave a start and a barrier.
//
// Where a process reads the same steady clock as rank 0, that is the truth, and its error is exact: both clocks are
// computed from one reading. Elsewhere nobody knows the truth; the error is measured by exchanges of messages and is as
// good as their envelope. Clocks can be made wrong on purpose, so that one host shows what synchronization does.
// Threads: one of each process. Elsewhere: synchronization (mpi_sync.hpp), starts (mpi_start.hpp), the program that
// prints all this (apps/laxity/clock/clock.cpp).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "laxity/clock/mpi_start.hpp"
#include "laxity/clock/mpi_sync.hpp"

namespace laxity {

struct AccuracyOptions {
  SyncOptions sync;
  bool wrong_clocks = false;            ///< every process: another offset and drift, as if it were a host of its own
  double most_offset_ns = 1e9;          ///< of wrong clocks
  double most_drift = 50e-6;            ///< of wrong clocks
  std::uint64_t seed = 1;               ///< of wrong clocks
  std::vector<double> moments_s{0, 4};  ///< after synchronization, ascending, at which errors are taken
  int starts = 1000;                    ///< rounds, each a start in time and a barrier
  StartOptions start;
};

/// The clock of one process at one moment.
struct ClockError {
  std::int32_t rank = 0;
  std::int32_t hops = 0;      ///< as in SyncedClock
  double after_s = 0;         ///< since the end of synchronization
  double error_ns = 0;        ///< its global clock - that of rank 0
  double uncertainty_ns = 0;  ///< 0: exact, against a shared clock; else half the envelope of the measurement
  double offset_ns = 0;       ///< of the model
  double drift = 0;           ///< of the model
  double injected_drift = 0;  ///< of its clock against that of rank 0, if it was made wrong
};

/// How rounds of one kind went; over all processes.
struct ExitSpread {
  double median_us = 0;  ///< between the first process that left and the last, middle of the rounds
  double p95_us = 0;     ///< exceeded by one round in twenty
};

struct AccuracyReport {
  int processes = 0;
  int hosts = 0;
  double synchronization_s = 0;
  Waiting waiting = Waiting::spin;
  std::vector<ClockError> errors;  ///< by moment, then by rank; on rank 0 only
  int starts = 0;
  int starts_in_time = 0;     ///< on all processes
  double final_slack_us = 0;  ///< of rank 0
  ExitSpread start;           ///< of the rounds in time
  ExitSpread barrier;         ///< of MPI_Barrier, of all rounds
};

/// Collective over `comm`; the report is complete on rank 0. Throws UsageError as synchronize_clock().
[[nodiscard]] AccuracyReport measure_accuracy(MPI_Comm comm, const AccuracyOptions& options);

/// The global clock of each process minus that of rank 0, measured now by exchanges, one process after another, with
/// half the width of its envelope. Collective over `comm`; ns.
struct MeasuredError {
  double error_ns = 0;
  double uncertainty_ns = 0;
};
[[nodiscard]] MeasuredError measured_error(MPI_Comm comm, const ReadClock& global);

}  // namespace laxity
