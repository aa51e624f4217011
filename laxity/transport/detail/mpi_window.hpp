// A window: memory of each rank that other ranks put into.
//
// Threads: one of each process.
#pragma once

#include <mpi.h>

#include <cstddef>

namespace laxity::detail {

/// Open for puts during its lifetime; constructor and destructor are collective.
class MpiWindow {
 public:
  /// `bytes` of this rank, all zero. Throws MpiError, and UsageError if the MPI has no unified windows.
  MpiWindow(std::size_t bytes, MPI_Comm communicator);
  ~MpiWindow();
  MpiWindow(const MpiWindow&) = delete;
  MpiWindow& operator=(const MpiWindow&) = delete;

  [[nodiscard]] MPI_Win handle() const noexcept { return window_; }
  /// At a cache line.
  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  /// The offset of data() for puts of other ranks.
  [[nodiscard]] MPI_Aint offset() const noexcept { return data_ - first_; }

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* first_ = nullptr;
  std::byte* data_ = nullptr;
};

}  // namespace laxity::detail
