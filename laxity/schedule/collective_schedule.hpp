// The message schedules of collective algorithms, as MPI libraries perform them: for text, pictures, files and
// simulation.
//
// Sources: Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH, IJHPCA 19 (2005);
// the algorithms and their names are those of Open MPI 4.1 (coll/base and coll/tuned), whose message counts they have.
// Threads: pure functions.
// Elsewhere: the algorithms, a file for each collective (detail/algorithms/), schedules in general (schedule.hpp).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "laxity/collective/collective.hpp"
#include "laxity/schedule/schedule.hpp"

namespace laxity::schedule {

struct CollectiveCall {
  collective::Collective collective = collective::Collective::barrier;
  std::uint32_t ranks = 1;
  std::uint64_t bytes = 0;  ///< the whole vector of bcast, reduce and allreduce; otherwise the block of one rank
  std::uint32_t root = 0;   ///< of bcast, gather, reduce and scatter
  std::uint64_t segment_bytes = 0;  ///< of the trees of bcast and reduce: pipelined in segments; 0: one segment
};

/// What a message carries, for checking a schedule. A slot is a segment or block of the vector; for gather, scatter and
/// allgather the block of a rank; for alltoall source * ranks + destination.
struct Contents {
  std::vector<std::uint32_t> slots{};
  bool combined = false;  ///< a receive applies the reduction; otherwise it replaces what was there
};

/// The algorithms of a collective that have a schedule, with Open MPI's numbers, in their order, and then laxity's own.
[[nodiscard]] std::vector<collective::Algorithm> algorithms(collective::Collective collective);

/// The schedule of one call. `contents` receives one entry for each operation, in order of ranks and operations. Where
/// an algorithm does not fit the number of ranks, it falls back to the one that Open MPI falls back to (recursive
/// doubling of allgather to bruck, neighbor to ring). Throws UsageError that lists the algorithms, or names the option,
/// if the call makes no sense.
[[nodiscard]] Schedule make_schedule(const CollectiveCall& call, std::string_view algorithm,
                                     std::vector<Contents>* contents = nullptr);

}  // namespace laxity::schedule
