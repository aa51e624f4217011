// The actions of a traced process at MPI_Init and MPI_Finalize.
//
// Settings come from the environment, where `laxity trace` puts them:
//   LAXITY_TRACE_DIR        folder of the trace files; "laxity-trace" by default
//   LAXITY_TRACE_EVERY      record every k-th call on a communicator; 1 by default
//   LAXITY_TRACE_PROCESSES  ranks in MPI_COMM_WORLD to trace, such as 0-3,8; all by default
// Invalid settings are reported on standard error, and the process is not traced.
//
// Invariants: nothing here terminates or changes the program. Clocks are synchronized, with messages, only if all
// processes of MPI_COMM_WORLD have agreed to it (agreement.hpp), including excluded ones; otherwise MPI is not called.
// Threads: the thread that initializes MPI.
#pragma once

namespace laxity::trace::preload {

/// To be called after MPI_Init. Starts recording, unless this process is excluded.
void begin_session() noexcept;

/// To be called before MPI_Finalize. Completes the trace file.
void end_session() noexcept;

}  // namespace laxity::trace::preload
