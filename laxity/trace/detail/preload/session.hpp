// The actions of a traced process at MPI_Init and MPI_Finalize.
//
// Settings come from the environment, where `laxity trace` puts them:
//   LAXITY_TRACE_DIR        folder of the trace files; "laxity-trace" by default
//   LAXITY_TRACE_EVERY      record every k-th call on a communicator; 1 by default
//   LAXITY_TRACE_PROCESSES  ranks in MPI_COMM_WORLD to trace, such as 0-3,8; all by default
// Invalid settings are reported on standard error, and the process is not traced.
//
// Invariants: nothing here terminates or changes the program. All processes of MPI_COMM_WORLD, including excluded ones, take
// part in the broadcast of the job's identity and in clock synchronization. Threads: the thread that initializes MPI.
#pragma once

namespace laxity::trace::preload {

/// To be called after MPI_Init. Starts recording, unless this process is excluded.
void begin_session() noexcept;

/// To be called before MPI_Finalize. Completes the trace file.
void end_session() noexcept;

}  // namespace laxity::trace::preload
