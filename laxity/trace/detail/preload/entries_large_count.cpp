// The entry points of large-count collectives such as MPI_Bcast_c, which MPI 4.0 introduced and MPICH has since 4.0.
//
// Programs such as mpi4py ask the dynamic linker for these names to find out whether their MPI has them, so the names
// must not resolve where MPI has no such function. Each is an indirect function: its resolver returns the entry point
// if the loaded MPI has the function, and null otherwise.
//
// Invariants: with LD_BIND_NOW and a library that was loaded earlier, a resolver may run before this library is
// relocated. It then accesses nothing that needs relocation and assumes that the function exists, since a loaded
// library refers to it.
// Source: ELF gABI supplement, STT_GNU_IFUNC. Threads: any.
#include "laxity/trace/detail/preload/entry_shapes.hpp"

#ifdef __GLIBC__  // other C libraries of Linux do not support indirect functions

namespace laxity::trace::preload {
namespace {

// The stored address equals the computed one only after the dynamic linker has relocated this library.
const char object = 0;
const char* const volatile relocated_address = &object;

template <class Function>
Function* resolve(const char* name, Function* traced) noexcept {
  if (relocated_address != &object) return traced;
  return next_symbol(name) != nullptr ? traced : nullptr;
}

}  // namespace

#define LAXITY_ENTRY_IF_MPI_HAS(function, parameters)                                              \
  static int traced_##function parameters;                                                         \
  extern "C" {                                                                                     \
  [[gnu::used]] static auto resolve_##function() { return resolve(#function, traced_##function); } \
  LAXITY_EXPORT int function parameters __attribute__((ifunc("resolve_" #function)));              \
  }                                                                                                \
  static int traced_##function parameters

#define LAXITY_WITH_COUNT(Name, name, parameters, names)                             \
  LAXITY_ALL_FORMS(LAXITY_ENTRY_IF_MPI_HAS, MPI_, Name, name, _c, parameters, names) \
  LAXITY_ALL_FORMS(LAXITY_ENTRY_IF_MPI_HAS, PMPI_, Name, name, _c, parameters, names)
#define LAXITY_COLLECTIVE(Name, name, shape, names) \
  LAXITY_WITH_COUNT(Name, name, (shape(Count), Handle communicator), names)
#define LAXITY_ROOTED(Name, name, shape, names) \
  LAXITY_WITH_COUNT(Name, name, (shape(Count), int root, Handle communicator), names)

LAXITY_EACH_WITH_COUNTS(LAXITY_COLLECTIVE, LAXITY_ROOTED)

}  // namespace laxity::trace::preload

#endif
