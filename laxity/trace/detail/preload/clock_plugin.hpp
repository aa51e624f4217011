// Clock synchronization, the only part of the tracer that needs mpi.h. It is a plugin for each MPI, loaded after
// MPI_Init, so that the tracer itself supports all of them.
#pragma once

#include "laxity/trace/file/record.hpp"

namespace laxity::trace::preload {

/// Collective over MPI_COMM_WORLD. Returns 0 and sets the clock model of the process, or returns another value on
/// failure.
using SynchronizeClock = int (*)(ClockPoint* point);

inline constexpr const char* synchronize_clock_symbol = "laxity_trace_synchronize_clock";

}  // namespace laxity::trace::preload
