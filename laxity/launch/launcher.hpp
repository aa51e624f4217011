// Which launcher of an MPI has started this process, if any, as its environment tells.
//
// It is known before any MPI is started, and in a build without one. Elsewhere: joining the other ranks (ranks.hpp).
#pragma once

#include <optional>
#include <string>

namespace laxity {

struct Launch {
  std::string launcher;  ///< "mpirun of Open MPI", "mpiexec of MPICH", "srun of Slurm"
  std::string family;    ///< the MPI that the launcher belongs to: "Open MPI", "MPICH"; empty: it starts any
  int rank = 0;
  int size = 1;

  /// It starts any, and tells the processes of one another in the language that it is asked to speak.
  [[nodiscard]] bool is_srun() const noexcept { return launcher == srun; }
  static constexpr const char* srun = "srun of Slurm";
};

/// Nothing if no launcher has started this process, so it is alone.
[[nodiscard]] std::optional<Launch> launched();

/// True for one of the processes that a launcher started together, and for one that is alone: what all of them know
/// alike is said by this one.
[[nodiscard]] bool speaks_for_all();

}  // namespace laxity
