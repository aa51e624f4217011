#include "laxity/launch/launcher.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace laxity {
namespace {

// The environment variables by which a launcher is recognized.
struct Marks {
  const char* launcher;
  const char* family;
  const char* rank;
  const char* size;
};

// In the order of the checks: srun may start ranks of any MPI, and Open MPI's mpirun also sets variables of PMIx.
constexpr std::array known_launchers{
    Marks{"mpirun of Open MPI", "Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    Marks{Launch::srun, "", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
    Marks{"mpiexec of MPICH", "MPICH", "PMI_RANK", "PMI_SIZE"},
};

std::optional<int> number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return {};
  const std::string_view digits = text;
  int number = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (fault != std::errc{} || end != digits.data() + digits.size() || number < 0) return {};
  return number;
}

}  // namespace

std::optional<Launch> launched() {
  for (const Marks& marks : known_launchers) {
    const std::optional<int> rank = number_in(marks.rank), size = number_in(marks.size);
    if (rank && size && *size > 0 && *rank < *size) return Launch{marks.launcher, marks.family, *rank, *size};
  }
  return {};
}

bool is_reporting_rank() {
  const std::optional<Launch> launch = launched();
  return !launch || launch->rank == 0;
}

}  // namespace laxity
