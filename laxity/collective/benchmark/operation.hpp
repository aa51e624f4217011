// One call of a collective with buffers of its own: to be measured, and to be verified.
//
// Roots are process 0, reductions are sums of whole numbers (32 bits, or 8 bits if the size is no multiple of 4). What a
// call must bring is computed from rank, place and round, so that a wrong, stale or missing value is seen.
//
// Threads: one operation, one thread.
// Elsewhere: the communicator that runs one algorithm (algorithms.hpp).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "laxity/collective/collective.hpp"
#include "laxity/mpi_call.hpp"

namespace laxity::collective {

class Operation {
 public:
  /// `bytes` is the size of the vector (allreduce, bcast, reduce) or of the block for one process (the others); a
  /// barrier has none. `communicator` gives rank and number of processes only.
  Operation(Collective collective, std::size_t bytes, MPI_Comm communicator);

  /// Writes what this process sends in this round, and forgets what it received.
  void fill(std::uint32_t round) noexcept;

  /// Calls the collective and returns what MPI says of it. Allocates nothing.
  [[nodiscard]] mpi::Result run(MPI_Comm communicator) noexcept;

  /// True if this process holds what the round must bring it; it may keep its own part in mind only.
  [[nodiscard]] bool is_right(std::uint32_t round) const noexcept;

 private:
  [[nodiscard]] std::uint32_t sent(int source, int target, std::size_t i, std::uint32_t round) const noexcept;
  [[nodiscard]] std::uint32_t expected(std::size_t i, std::uint32_t round) const noexcept;
  [[nodiscard]] bool receives() const noexcept;

  Collective collective_;
  int rank_ = 0;
  int processes_ = 1;
  MPI_Datatype type_;
  std::size_t width_;  // bytes of an element
  int count_;          // elements of a vector or block
  std::vector<int> counts_;
  std::vector<std::byte> sending_;
  std::vector<std::byte> receiving_;
};

}  // namespace laxity::collective
