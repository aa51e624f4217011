#include "apps/smpi_ranks/mpi_pacing.hpp"

#include <array>
#include <cmath>

#include "laxity/mpi_call.hpp"

namespace laxity {

MpiPacing::MpiPacing(MPI_Comm communicator, const PacingOptions& options, std::int64_t begin_ns)
    : communicator_(communicator),
      options_(options),
      next_ns_(begin_ns + options.rolling_ns),
      point_(begin_ns / options.fixed_ns) {
  check(options);
}

bool MpiPacing::after_update(std::int64_t now_ns, bool over) {
  switch (options_.mode) {
    case PacingMode::every_update:
      return barrier(0, over);
    case PacingMode::rolling: {
      if (now_ns < next_ns_) return true;
      const bool go_on = barrier(0, over);
      next_ns_ = simulated_ns() + options_.rolling_ns;
      return go_on;
    }
    case PacingMode::fixed: {
      const std::int64_t point = now_ns / options_.fixed_ns;
      return point <= point_ || barrier(point, over);
    }
    case PacingMode::none:
    case PacingMode::isolated:
      break;
  }
  return !over;
}

bool MpiPacing::barrier(std::int64_t point, bool over) {
  std::array<std::int64_t, 2> maxima{point, over ? 1 : 0};
  mpi::check("MPI_Allreduce", MPI_Allreduce(MPI_IN_PLACE, maxima.data(), 2, MPI_INT64_T, MPI_MAX, communicator_));
  point_ = maxima[0];
  return maxima[1] == 0;
}

std::int64_t simulated_ns() { return std::llround(MPI_Wtime() * 1e9); }

}  // namespace laxity
