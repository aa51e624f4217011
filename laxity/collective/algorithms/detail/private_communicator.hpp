// The duplicate of a communicator on which a collective sends its messages, so that they match no receive of the program,
// with memory that is reused from call to call.
//
// Invariants: made by the first collective on a communicator, an attribute of it, freed with it.
// Threads: as for collectives, one at a time on a communicator.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace laxity::collective::detail {

class PrivateCommunicator {
 public:
  /// Collective on the first call with this communicator. Throws MpiError.
  static PrivateCommunicator& of(MPI_Comm communicator);

  explicit PrivateCommunicator(MPI_Comm communicator);
  PrivateCommunicator(const PrivateCommunicator&) = delete;
  PrivateCommunicator& operator=(const PrivateCommunicator&) = delete;
  ~PrivateCommunicator();

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }

  /// Memory of at least `bytes` bytes, until the next call of room().
  [[nodiscard]] std::byte* room(std::size_t bytes);

  /// Each throws MpiError.
  void send(const void* buffer, int count, MPI_Datatype type, int to, int tag = 0) const;
  void receive(void* buffer, int count, MPI_Datatype type, int from, int tag = 0) const;
  [[nodiscard]] MPI_Request start_send(const void* buffer, int count, MPI_Datatype type, int to, int tag = 0) const;
  [[nodiscard]] MPI_Request start_receive(void* buffer, int count, MPI_Datatype type, int from, int tag = 0) const;
  /// Copies elements within this process, of two types with the same signature.
  void copy(const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
            MPI_Datatype to_type) const;

 private:
  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  std::unique_ptr<std::byte[]> room_;
  std::size_t room_bytes_ = 0;
};

/// The index of a request that has completed and is MPI_REQUEST_NULL now. At least one must be active.
[[nodiscard]] std::size_t wait_any(std::vector<MPI_Request>& requests);
void wait_all(std::span<MPI_Request> requests);

}  // namespace laxity::collective::detail
