// The launcher that has started this process, if any, found in the environment: mpirun, mpiexec or srun.
//
// It is known before MPI is started, and in a build without MPI.
// Threads: any, as long as nobody changes the environment. Elsewhere: joining the other ranks (ranks.hpp).
#pragma once

#include <optional>
#include <string>

namespace laxity {

struct Launch {
  std::string launcher;  ///< "mpirun of Open MPI", "mpiexec of MPICH", "srun of Slurm"
  std::string family;  ///< the MPI that the launcher belongs to: "Open MPI", "MPICH"; empty: it starts processes of any
  int rank = 0;
  int size = 1;

  /// True for srun, which starts processes of any MPI and connects them by the protocol given with --mpi.
  [[nodiscard]] bool is_srun() const noexcept { return launcher == srun; }
  static constexpr const char* srun = "srun of Slurm";
};

/// Empty if no launcher has started this process, which is then the only one.
[[nodiscard]] std::optional<Launch> launched();

/// True for rank 0 and for a process without a launcher: it reports what all ranks know, so that it is reported once.
[[nodiscard]] bool is_reporting_rank();

}  // namespace laxity
