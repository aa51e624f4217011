#include "apps/laxity/launch/mpi_launcher.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <thread>

#include "laxity/cli/subprocess.hpp"

namespace laxity::cli {

bool started_by_mpi_launcher() {
  // Open MPI, PMIx, MPICH and Intel MPI, Slurm's srun with either.
  constexpr std::array names{"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"};
  return std::any_of(names.begin(), names.end(), [](const char* name) { return std::getenv(name) != nullptr; });
}

// The ranks that are started here measure collectives and clocks, so they wait inside MPI and have to yield, unlike those
// of a best-effort run (mpi_session.cpp): an allreduce of four ranks on two cores then takes 13 us, otherwise 60 ms.
void let_ranks_share_cores(int ranks) {
  if (static_cast<unsigned>(ranks) <= std::thread::hardware_concurrency()) return;
  constexpr std::array<std::array<const char*, 2>, 5> settings{{
      {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
      {"OMPI_MCA_hwloc_base_binding_policy", "none"},
      {"OMPI_MCA_mpi_yield_when_idle", "1"},
      {"PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"},
      {"PRTE_MCA_hwloc_default_binding_policy", "none"},
  }};
  for (const auto& [name, value] : settings) setenv(name, value, 0);
}

void start_on_ranks(int ranks, int argc, const char* const* argv) {
  if (ranks <= 1 || started_by_mpi_launcher()) return;
  let_ranks_share_cores(ranks);
  // By the path of the executable: the launcher may find another program under the name "laxity".
  CommandWords words{LAXITY_MPI_LAUNCHER, LAXITY_MPI_RANKS_OPTION, std::to_string(ranks), this_program()};
  words.insert(words.end(), argv + 1, argv + argc);
  replace_this_process(words);
}

}  // namespace laxity::cli
