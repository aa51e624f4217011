#include "laxity/launch/launcher.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace laxity {
namespace {

// What a launcher leaves in the environment of the processes it starts.
struct Marks {
  const char* launcher;
  const char* family;
  const char* rank;
  const char* size;
};

// Asked in this order: srun may start ranks of any MPI, and Open MPI's mpirun uses PMIx below.
constexpr std::array all_marks{
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
  for (const Marks& marks : all_marks) {
    const std::optional<int> rank = number_in(marks.rank), size = number_in(marks.size);
    if (rank && size && *size > 0 && *rank < *size) return Launch{marks.launcher, marks.family, *rank, *size};
  }
  return {};
}

bool speaks_for_all() {
  const std::optional<Launch> launch = launched();
  return !launch || launch->rank == 0;
}

}  // namespace laxity
