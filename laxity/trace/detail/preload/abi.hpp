// What differs between MPIs in binary form, and is needed to look at the calls of a program without its mpi.h.
//
// Both families have the same functions with the same kinds of arguments; handles are pointers in Open MPI and int in
// MPICH. Here a handle is a machine word: the upper half of an int that was passed in a register is noise, so handles are
// compared and kept only after narrow(). Passed on as it came, the word is right for either. That is why one library
// serves both (docs/decisions/0011-one-tracer-for-all-mpis.md).
//
// Source: mpi.h of Open MPI 4.1 and 5.0; the common ABI of MPICH 3.1 and later, Intel MPI, MVAPICH and Cray MPICH. A test
// compares the constants with the mpi.h of the MPIs that are installed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace laxity::trace::preload {

/// A communicator, datatype, request, operation, group or info of either MPI.
using Handle = std::uintptr_t;
/// MPI_Count.
using Count = long long;

struct Abi {
  const char* family;        ///< "openmpi" or "mpich"
  std::size_t handle_bytes;  ///< in arrays
  const void* in_place;
  int root;       ///< MPI_ROOT
  int proc_null;  ///< MPI_PROC_NULL
  int graph, cart, dist_graph;
  Handle comm_world, comm_null, byte;

  [[nodiscard]] Handle narrow(Handle handle) const noexcept {
    return handle_bytes == sizeof(Handle) ? handle : handle & 0xFFFF'FFFF;
  }
  /// Element `slot` of an array of handles.
  [[nodiscard]] Handle load(const void* handles, std::size_t slot = 0) const noexcept {
    if (handle_bytes == sizeof(Handle)) return static_cast<const Handle*>(handles)[slot];
    return static_cast<const std::uint32_t*>(handles)[slot];
  }
};

/// The ABI of the MPI that calls itself `library_version`; null if it is none of those known here.
[[nodiscard]] const Abi* abi_of(const char* library_version) noexcept;

}  // namespace laxity::trace::preload
