#include "laxity/trace/detail/preload/clock_plugin.hpp"

#include <mpi.h>

#include <exception>

#include "laxity/clock/clock.hpp"
#include "laxity/clock/mpi_sync.hpp"

namespace laxity::trace::preload {
namespace {

// Drift is computed from the offsets after MPI_Init and before MPI_Finalize, so a short synchronization is sufficient.
constexpr SyncOptions quick{.fit_points = 30, .fit_window_ns = 100'000'000};

}  // namespace

extern "C" __attribute__((visibility("default"))) int laxity_trace_synchronize_clock(ClockPoint* point) {
  try {
    const SteadyClock steady;
    const SyncedClock synced = synchronize_clock(
        MPI_COMM_WORLD, [&] { return steady.now_ns(); }, steady_clock_identity(), quick);
    const std::int64_t now_ns = steady.now_ns();
    point->at_ns = now_ns;
    point->offset_ns = static_cast<double>(synced.model.to_global(now_ns) - now_ns);
    point->slope = synced.model.drift;
    point->synchronized = true;
    point->error_ns =
        synced.hops * synced.width_ns / 2;  // as if each measurement on the way had been as good as the last
    return 0;
  } catch (const std::exception&) {
    return 1;
  }
}

}  // namespace laxity::trace::preload
