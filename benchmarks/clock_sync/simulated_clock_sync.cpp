// The accuracy of clock synchronization of a thousand ranks under SMPI, whose simulated time is the true clock.
// See README.md. Arguments: [fit window in s] [fit points]. smpirun sets the number of processes.
#include <mpi.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "laxity/clock/mpi_sync.hpp"
#include "laxity/mpi_call.hpp"

namespace {

struct SimulatedClock {
  [[nodiscard]] std::int64_t now_ns() const noexcept { return std::llrint(MPI_Wtime() * 1e9); }
};

double largest_error_us(const laxity::ClockModel& local, const laxity::ClockModel& first,
                        const laxity::ClockModel& learned, std::int64_t true_ns) {
  const std::int64_t error_ns = learned.to_global(local.to_global(true_ns)) - first.to_global(true_ns);
  double error_us = std::abs(static_cast<double>(error_ns)) * 1e-3;
  laxity::mpi::check("MPI_Allreduce", MPI_Allreduce(MPI_IN_PLACE, &error_us, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
  return error_us;
}

}  // namespace

int main(int argc, char** argv) {
  laxity::mpi::check("MPI_Init", MPI_Init(&argc, &argv));
  const int rank = laxity::mpi::rank_in(MPI_COMM_WORLD), size = laxity::mpi::size_of(MPI_COMM_WORLD);
  const laxity::ClockModel first = laxity::random_clock_model(1, 0);
  const laxity::ModeledClock clock(SimulatedClock{},
                                   laxity::random_clock_model(static_cast<std::uint64_t>(rank) + 1, 0));
  laxity::SyncOptions options;
  options.waiting = laxity::DeadlineWait::spin;  // MPI_Wait takes simulated time; polling would take real time
  options.fit_points = 20;
  options.fruitless_exchanges = 2;  // simulated messages always take the same time
  if (argc > 1) options.fit_window_ns = std::llrint(std::atof(argv[1]) * 1e9);
  if (argc > 2) options.fit_points = std::atoi(argv[2]);
  const std::int64_t begin_ns = clock.local().now_ns();
  const auto synced = laxity::synchronize_clock(
      MPI_COMM_WORLD, [&clock] { return clock.now_ns(); }, laxity::unshared_clock, options);
  const std::int64_t end_ns = clock.local().now_ns();
  for (const std::int64_t after_s : {0, 4}) {
    const double error_us =
        largest_error_us(clock.model(), first, synced.model, end_ns + after_s * std::int64_t{1'000'000'000});
    if (rank == 0) {
      std::printf("simulated, %d processes, clocks up to 1 s and 50 ppm wrong: largest error %.3f us %d s after\n",
                  size, error_us, static_cast<int>(after_s));
    }
  }
  if (rank == 0)
    std::printf("synchronization took %.2f s of simulated time\n", static_cast<double>(end_ns - begin_ns) * 1e-9);
  laxity::mpi::check("MPI_Finalize", MPI_Finalize());
  return 0;
}
