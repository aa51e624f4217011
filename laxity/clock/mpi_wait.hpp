// Waiting for an MPI request without occupying a core that the sender may need.
//
// MPI_Wait spins, in most libraries without yielding. With more processes than cores, the sender then waits for the end
// of a time slice, some milliseconds for each message.
// Threads: as the library allows. Elsewhere: waiting for a time (wait_until.hpp).
#pragma once

#include <mpi.h>
#include <time.h>

#include <thread>

#include "laxity/mpi_call.hpp"

namespace laxity {

/// Tests a request `polls` times in a row, which is fastest, then yields between tests until it is complete.
inline void wait_yielding(MPI_Request request, int polls) {
  for (int done = 0, poll = 0;; ++poll) {
    mpi::check("MPI_Test", MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done != 0) return;
    if (poll >= polls) std::this_thread::yield();
  }
}

/// Tests a request every millisecond and sleeps in between, for long waits that may end late.
inline void wait_sleeping(MPI_Request request) {
  const timespec moment{.tv_sec = 0, .tv_nsec = 1'000'000};
  for (int done = 0;;) {
    mpi::check("MPI_Test", MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done != 0) return;
    nanosleep(&moment, nullptr);  // a plain call of this name, which SMPI replaces
  }
}

}  // namespace laxity
