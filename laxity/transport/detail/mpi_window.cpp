#include "laxity/transport/detail/mpi_window.hpp"

#include <algorithm>
#include <cstdint>

#include "laxity/mpi_call.hpp"
#include "laxity/transport/ring_shape.hpp"

namespace laxity::detail {

// Memory allocated by MPI is shared by the ranks of a host, which then put directly into it.
MpiWindow::MpiWindow(std::size_t bytes, MPI_Comm communicator) {
  const std::size_t with_alignment = bytes + cache_line;
  mpi::check("MPI_Win_allocate", MPI_Win_allocate(static_cast<MPI_Aint>(with_alignment), 1, MPI_INFO_NULL, communicator,
                                                  &first_, &window_));
  data_ = first_ + -reinterpret_cast<std::uintptr_t>(first_) % cache_line;
  std::fill_n(first_, with_alignment, std::byte{0});
  int* model = nullptr;
  int found = 0;
  mpi::check("MPI_Win_get_attr", MPI_Win_get_attr(window_, MPI_WIN_MODEL, &model, &found));
  if (found == 0 || *model != MPI_WIN_UNIFIED) {
    mpi::check("MPI_Win_free", MPI_Win_free(&window_));
    throw UsageError("MpiVariant::one_sided needs an MPI with unified windows; use two_sided");
  }
  mpi::check("MPI_Win_set_errhandler", MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN));
  mpi::check("MPI_Win_lock_all", MPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
}

MpiWindow::~MpiWindow() {
  mpi::report("MPI_Win_unlock_all", MPI_Win_unlock_all(window_));
  mpi::report("MPI_Win_free", MPI_Win_free(&window_));
}

}  // namespace laxity::detail
