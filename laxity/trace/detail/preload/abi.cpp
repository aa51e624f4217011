#include "laxity/trace/detail/preload/abi.hpp"

#include <array>
#include <string_view>

#include "laxity/trace/detail/preload/next.hpp"

namespace laxity::trace::preload {
namespace {

// An address that mpi.h defines as the cast of an integer.
const void* address(std::intptr_t number) noexcept {
  return reinterpret_cast<const void*>(number);  // NOLINT(performance-no-int-to-ptr)
}

Handle object(const char* name) noexcept { return reinterpret_cast<Handle>(shared_object(name)); }

const Abi* open_mpi() noexcept {
  static const Abi abi{.family = "openmpi",
                       .handle_bytes = sizeof(void*),
                       .in_place = address(1),
                       .root = -4,
                       .proc_null = -2,
                       .graph = 2,
                       .cart = 1,
                       .dist_graph = 3,
                       .comm_world = object("ompi_mpi_comm_world"),
                       .comm_null = object("ompi_mpi_comm_null"),
                       .byte = object("ompi_mpi_byte")};
  return abi.comm_world != 0 && abi.comm_null != 0 && abi.byte != 0 ? &abi : nullptr;
}

const Abi* mpich() noexcept {
  static const Abi abi{.family = "mpich",
                       .handle_bytes = sizeof(int),
                       .in_place = address(-1),
                       .root = -3,
                       .proc_null = -1,
                       .graph = 1,
                       .cart = 2,
                       .dist_graph = 3,
                       .comm_world = 0x44000000,
                       .comm_null = 0x04000000,
                       .byte = 0x4c00010d};
  return &abi;
}

}  // namespace

const Abi* abi_of(const char* library_version) noexcept {
  const std::string_view version(library_version);
  if (version.starts_with("Open MPI")) return open_mpi();
  for (const std::string_view name : {"MPICH", "Intel(R) MPI", "MVAPICH", "CRAY MPICH"}) {
    if (version.starts_with(name)) return mpich();
  }
  return nullptr;
}

}  // namespace laxity::trace::preload
