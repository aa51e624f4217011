// From MPI_Init to MPI_Finalize: what a process does once to be traced.
//
// Settings come from the environment, as `laxity trace` sets them:
//   LAXITY_TRACE_DIR        folder of the trace files; "laxity-trace" if it is not set
//   LAXITY_TRACE_EVERY      record every k-th call on a communicator; 1
//   LAXITY_TRACE_PROCESSES  ranks in MPI_COMM_WORLD to trace, as in 0-3,8; all
// What makes no sense is named on standard error, and the process is not traced.
//
// Invariants: nothing here ends or changes the program. All processes of MPI_COMM_WORLD take part in the agreement on a
// job number and in the synchronization of clocks, those that are left out too. Threads: the one that initializes MPI.
#pragma once

namespace laxity::trace::preload {

/// MPI_Init has returned. Calls of this process are recorded from now on, if they are to be.
void begin_session() noexcept;

/// MPI_Finalize is about to be called.
void end_session() noexcept;

}  // namespace laxity::trace::preload
