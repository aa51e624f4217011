// A call of a collective with its own buffers, to be measured and verified.
//
// The root is process 0. Reductions are sums of unsigned integers of 32 bits, or of 8 bits if the message size is not a
// multiple of 4. Every element is a function of rank, position and round, so that wrong, stale and missing values are
// detected.
//
// Threads: one thread at a time.
// Elsewhere: communicators on which one algorithm is forced (algorithms.hpp).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "laxity/collective/collective.hpp"
#include "laxity/collective/own_algorithms.hpp"
#include "laxity/mpi_call.hpp"

namespace laxity::collective {

class Operation {
 public:
  /// `bytes` is the size of the vector (allreduce, bcast, reduce) or of one process's block (other collectives); it has
  /// no meaning for barrier. `communicator` determines the rank and the number of processes. Throws UsageError if
  /// `bytes` is too large.
  Operation(Collective collective, std::size_t bytes, MPI_Comm communicator);

  /// Writes the elements that this process sends in this round, and overwrites the receive buffer.
  void fill(std::uint32_t round) noexcept;

  /// Makes the call and returns its result: by MPI, or by the own algorithm of this id. Calls of MPI allocate nothing
  /// here.
  [[nodiscard]] mpi::Result run(MPI_Comm communicator, int algorithm = 0) noexcept;

  /// Whether the receive buffer of this process holds the result of this round. True where a process receives nothing.
  [[nodiscard]] bool is_correct(std::uint32_t round) const noexcept;

 private:
  [[nodiscard]] mpi::Result run_own(MPI_Comm communicator, OwnAlgorithm algorithm) noexcept;
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
