// Waiting for a message without keeping a core from whoever would send it.
//
// MPI_Wait spins, in most libraries without ever giving way. With more processes than cores the sender then waits for
// the end of a time slice, some milliseconds a message. Threads: as the library allows. Elsewhere: waiting for a moment
// (wait_until.hpp).
#pragma once

#include <mpi.h>
#include <time.h>

#include <thread>

#include "laxity/mpi_call.hpp"

namespace laxity {

/// Tests a request `polls` times in a row, which is quickest, then gives way between tests until it is complete.
inline void wait_yielding(MPI_Request request, int polls) {
  for (int done = 0, poll = 0;; ++poll) {
    mpi::check("MPI_Test", MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done != 0) return;
    if (poll >= polls) std::this_thread::yield();
  }
}

/// Looks a thousand times a second and sleeps between, for waits that are long and need not end at once.
inline void wait_asleep(MPI_Request request) {
  const timespec moment{.tv_sec = 0, .tv_nsec = 1'000'000};
  for (int done = 0;;) {
    mpi::check("MPI_Test", MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done != 0) return;
    nanosleep(&moment, nullptr);  // by this name: a simulator of MPI replaces it
  }
}

}  // namespace laxity
