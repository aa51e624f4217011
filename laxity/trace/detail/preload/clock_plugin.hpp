// The part of the tracer that needs the mpi.h of one MPI: synchronizing clocks. It lies in a library of its own for each
// MPI, so that the tracer itself serves all; it is loaded after MPI_Init.
#pragma once

#include "laxity/trace/file/record.hpp"

namespace laxity::trace::preload {

/// Collective over MPI_COMM_WORLD. 0, and where the process's clock stands against the global one; else nothing is known.
using SynchronizeClock = int (*)(ClockPoint* point);

inline constexpr const char* synchronize_clock_symbol = "laxity_trace_synchronize_clock";

}  // namespace laxity::trace::preload
