// The differences between the binary interfaces of MPI libraries that matter for tracing without mpi.h.
//
// Both families have the same functions with the same kinds of arguments, but handles are pointers in Open MPI and ints
// in MPICH. A Handle is a machine word, which is passed on unchanged and is correct for either. The upper half of an
// int that was passed in a register is undefined, so handles are compared and stored only after narrow(). That is how
// one library supports both families (docs/decisions/0011-one-tracer-for-all-mpis.md).
//
// Source: mpi.h of Open MPI 4.1 and 5.0; the common ABI of MPICH 3.1 and later, Intel MPI, MVAPICH and Cray MPICH. A
// test compares the constants with mpi.h of the installed MPIs.
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

/// The ABI of the MPI with this library version text; null if it is unknown.
[[nodiscard]] const Abi* abi_of(const char* library_version) noexcept;

}  // namespace laxity::trace::preload
