// Links between all ranks, for tests.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "laxity/transport/any_transport.hpp"
#include "laxity/transport/mpi.hpp"
#include "laxity/transport/remote_links.hpp"

namespace laxity::conformance {

[[nodiscard]] inline int this_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

[[nodiscard]] inline int ranks() {
  int number = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &number);
  return number;
}

inline void meet() { MPI_Barrier(MPI_COMM_WORLD); }

/// MPI_Alltoall of one value for each rank.
[[nodiscard]] inline std::vector<std::uint64_t> told_by_each(const std::vector<std::uint64_t>& ours) {
  std::vector<std::uint64_t> theirs(ours.size());
  MPI_Alltoall(ours.data(), 1, MPI_UINT64_T, theirs.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
  return theirs;
}

/// A link from every rank to every rank, itself included; ends by rank of the other side.
struct EveryRank {
  EveryRank(MpiLinks& links, RemoteLink link) {
    for (link.peer = 0; link.peer < ranks(); ++link.peer) {
      to.push_back(links.sender(link));
      from.push_back(links.receiver(link));
    }
    links.connect();
  }
  std::vector<AnySender> to;
  std::vector<AnyReceiver> from;
};

}  // namespace laxity::conformance
