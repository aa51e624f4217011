// Starting this program on several ranks: under a launcher as it is, else by starting one.
//
// Elsewhere: MPI itself (laxity/clock/mpi_program.hpp).
#pragma once

namespace laxity::cli {

/// True if a launcher of MPI (mpirun, mpiexec, srun) started this process.
[[nodiscard]] bool started_by_mpi_launcher();

/// Under a launcher, or with `ranks` 0 or 1: returns. Else replaces this process by the launcher of the MPI that laxity
/// was built with, which starts the same command line on `ranks` ranks; more of them than cores are let to share. Throws
/// SystemError naming the launcher if it cannot be started.
void start_on_ranks(int ranks, int argc, const char* const* argv);

}  // namespace laxity::cli
