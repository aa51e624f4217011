// The baseline: a hand-written loop. It has the depth of a link in sends and receives in flight, completed in bulk by
// MPI_Testsome, without header, credit or validation.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "laxity/mpi_call.hpp"

namespace laxity::bench {

template <class M, std::size_t depth>
class BareSender {
 public:
  explicit BareSender(int peer) : peer_(peer) {
    requests_.fill(MPI_REQUEST_NULL);
    for (std::size_t slot = 0; slot < depth; ++slot) free_[slot] = static_cast<int>(slot);
  }
  /// False: all sends are in flight.
  [[nodiscard]] bool try_send(std::uint32_t value) {
    if (free_count_ == 0) {
      int done = 0;
      mpi::check("MPI_Testsome", MPI_Testsome(depth, requests_.data(), &done, free_.data(), MPI_STATUSES_IGNORE));
      if (done == 0 || done == MPI_UNDEFINED) return false;
      free_count_ = static_cast<std::size_t>(done);
    }
    const auto slot = static_cast<std::size_t>(free_[--free_count_]);
    buffers_[slot].fill(value);
    mpi::check("MPI_Isend",
               MPI_Isend(&buffers_[slot], sizeof(M), MPI_BYTE, peer_, 0, MPI_COMM_WORLD, &requests_[slot]));
    return true;
  }
  /// To be called when everything sent was received.
  void finish() { mpi::check("MPI_Waitall", MPI_Waitall(depth, requests_.data(), MPI_STATUSES_IGNORE)); }

 private:
  int peer_;
  std::array<M, depth> buffers_;
  std::array<MPI_Request, depth> requests_;
  std::array<int, depth> free_;  // slots that may be used
  std::size_t free_count_ = depth;
};

template <class M, std::size_t depth>
class BareReceiver {
 public:
  explicit BareReceiver(int peer) : peer_(peer) {
    for (std::size_t slot = 0; slot < depth; ++slot) post(slot);
  }
  ~BareReceiver() {
    for (MPI_Request& request : requests_) {
      mpi::check("MPI_Cancel", MPI_Cancel(&request));
      mpi::check("MPI_Wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
  }
  BareReceiver(const BareReceiver&) = delete;
  BareReceiver& operator=(const BareReceiver&) = delete;

  /// Receives all messages that have arrived: adds up all of them with `read_all`, otherwise the last one. Returns their
  /// number.
  template <bool read_all>
  std::size_t receive(std::uint32_t& total) {
    int done = 0;
    mpi::check("MPI_Testsome", MPI_Testsome(depth, requests_.data(), &done, done_.data(), MPI_STATUSES_IGNORE));
    for (int each = 0; each < done; ++each) {
      const auto slot = static_cast<std::size_t>(done_[static_cast<std::size_t>(each)]);
      if (read_all || each + 1 == done) total += buffers_[slot].sum();
      post(slot);
    }
    return static_cast<std::size_t>(done);
  }

 private:
  void post(std::size_t slot) {
    mpi::check("MPI_Irecv",
               MPI_Irecv(&buffers_[slot], sizeof(M), MPI_BYTE, peer_, 0, MPI_COMM_WORLD, &requests_[slot]));
  }

  int peer_;
  std::array<M, depth> buffers_;
  std::array<MPI_Request, depth> requests_;
  std::array<int, depth> done_;
};

}  // namespace laxity::bench
