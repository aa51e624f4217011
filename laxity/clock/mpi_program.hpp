// A program over MPI: initializes and finalizes MPI, and ends all processes if one of them fails.
//
// Threads: one at a time calls MPI (MPI_THREAD_SERIALIZED).
// Elsewhere: starting ranks (apps/laxity/launch/mpi_launcher.hpp).
#pragma once

#include <mpi.h>

#include <cstdio>
#include <exception>

#include "laxity/error.hpp"
#include "laxity/mpi_call.hpp"

namespace laxity {

/// The number of hosts of a communicator: groups of processes that can share memory. Collective over it.
[[nodiscard]] inline int count_hosts(MPI_Comm comm) {
  MPI_Comm host = MPI_COMM_NULL;
  mpi::check("MPI_Comm_split_type", MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host));
  const int rank_in_host = mpi::rank_in(host);
  mpi::check("MPI_Comm_free", MPI_Comm_free(&host));
  int hosts = rank_in_host == 0 ? 1 : 0;
  mpi::check("MPI_Allreduce", MPI_Allreduce(MPI_IN_PLACE, &hosts, 1, MPI_INT, MPI_SUM, comm));
  return hosts;
}

class MpiProgram {
 public:
  MpiProgram() {
    int granted = 0;
    mpi::check("MPI_Init_thread", MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &granted));
    rank_ = mpi::rank_in(MPI_COMM_WORLD);
    size_ = mpi::size_of(MPI_COMM_WORLD);
  }
  MpiProgram(const MpiProgram&) = delete;
  MpiProgram& operator=(const MpiProgram&) = delete;
  ~MpiProgram() { mpi::report("MPI_Finalize", MPI_Finalize()); }

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }

  /// Runs the work of this process. If it throws, prints the error and aborts all processes, since others may wait for
  /// this one forever. Exit code 2 for UsageError, otherwise 1.
  template <class Work>
  void run(Work&& work) const {
    try {
      work();
    } catch (const UsageError& error) {
      std::fprintf(stderr, "laxity: %s\n", error.what());
      MPI_Abort(MPI_COMM_WORLD, 2);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "laxity: %s\n", error.what());
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }

 private:
  int rank_ = 0, size_ = 1;
};

}  // namespace laxity
