// Collectives that suffer less from late processes, over point-to-point messages of any MPI.
//
// Sources: Proficz, Improving all-reduce collective operations for imbalanced process arrival patterns, J. Supercomputing
// 74 (2018), for the reduction before the late process arrives; Marendic, Lemeire, Vucinic, Schelkens, A novel MPI
// reduction algorithm resilient to imbalances in process arrival times, J. Supercomputing 72 (2016).
// Invariants: every process leaves with the result that MPI defines, for all datatypes and operations, also with
// MPI_IN_PLACE. An operation that does not commute is combined in the order of ranks, whatever the algorithm. All messages
// use a duplicate of the communicator, which the first call makes and which is freed with the communicator.
// Threads: as for the collectives of MPI, one at a time on a communicator.
// Elsewhere: names and numbers (own_algorithms.hpp), the library that replaces a program's calls (detail/preload/).
#pragma once

#include <mpi.h>

#include "laxity/collective/own_algorithms.hpp"
#include "laxity/mpi_call.hpp"

namespace laxity::collective {

/// The arguments of MPI_Reduce, and of MPI_Allreduce without a root.
struct Reduction {
  const void* send;
  void* receive;
  int count;
  MPI_Datatype type;
  MPI_Op operation;
};

/// Each is collective over `communicator`, an intracommunicator, and makes the call by an algorithm of
/// own_algorithms(); MPI_ERR_ARG for one of another collective, otherwise what a call of MPI returned.
///
/// OwnAlgorithm::rank_order combines the last rank's elements with those of the rank before it, and so on down to rank 0:
/// floating-point results are the same, bit by bit, in every call and for every number of hosts. The root then needs room
/// for a part of the contributions, 64 MiB at most if an element is smaller.
[[nodiscard]] mpi::Result own_reduce(OwnAlgorithm algorithm, const Reduction& reduction, int root,
                                     MPI_Comm communicator) noexcept;
[[nodiscard]] mpi::Result own_allreduce(OwnAlgorithm algorithm, const Reduction& reduction,
                                        MPI_Comm communicator) noexcept;

/// The arguments of MPI_Alltoall.
struct Exchange {
  const void* send;
  int send_count;
  MPI_Datatype send_type;
  void* receive;
  int receive_count;
  MPI_Datatype receive_type;
};
[[nodiscard]] mpi::Result own_alltoall(OwnAlgorithm algorithm, const Exchange& exchange,
                                       MPI_Comm communicator) noexcept;

}  // namespace laxity::collective
