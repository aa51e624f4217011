// Starts this program on several ranks.
//
// Elsewhere: MPI itself (laxity/clock/mpi_program.hpp).
#pragma once

namespace laxity::cli {

/// True if a launcher of MPI (mpirun, mpiexec, srun) started this process.
[[nodiscard]] bool started_by_mpi_launcher();

/// Lets more ranks than cores share them: sets variables of the launcher and of the MPI for the programs that this process
/// starts, unless the user has set them. Does nothing if there is a core for each rank.
void let_ranks_share_cores(int ranks);

/// Returns under a launcher, and if `ranks` is 0 or 1. Otherwise replaces this process by the launcher of the MPI that
/// laxity was built with, which starts the same command line on `ranks` ranks; ranks share cores if there are more than
/// cores. Throws Error naming the launcher if it cannot be started.
void start_on_ranks(int ranks, int argc, const char* const* argv);

}  // namespace laxity::cli
