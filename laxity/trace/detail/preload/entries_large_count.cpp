// The entry points of collectives with large counts, MPI_Bcast_c and the like: new in MPI 4.0, in MPICH since 4.0.
//
// Programs ask the dynamic linker for such a name to find out whether their MPI has it (mpi4py does), so these must not be
// found where MPI has none. Each is an indirect function: when a name is looked up, its resolver says where the function
// is, or that there is none, by what the MPI that is loaded has.
//
// Invariants: a resolver may be called before this library is relocated, if somebody binds all names at once
// (LD_BIND_NOW) and was loaded before; it then touches nothing that has to be relocated, and takes the name for there,
// since a library that was linked against it refers to it.
// Source: ELF gABI supplement, STT_GNU_IFUNC. Threads: any.
#include "laxity/trace/detail/preload/entry_shapes.hpp"

#ifdef __GLIBC__  // other C libraries of Linux have no indirect functions

namespace laxity::trace::preload {
namespace {

// An address in memory, which is right once the dynamic linker has put in where this library lies; in code it always is.
const char anything = 0;
const char* const volatile where_anything_is = &anything;

template <class Function>
Function* if_there(const char* name, Function* traced) noexcept {
  if (where_anything_is != &anything) return traced;
  return next_symbol(name) != nullptr ? traced : nullptr;
}

}  // namespace

#define LAXITY_ENTRY_IF_THERE(function, parameters)                                                 \
  static int traced_##function parameters;                                                          \
  extern "C" {                                                                                      \
  [[gnu::used]] static auto resolve_##function() { return if_there(#function, traced_##function); } \
  LAXITY_EXPORT int function parameters __attribute__((ifunc("resolve_" #function)));               \
  }                                                                                                 \
  static int traced_##function parameters

#define LAXITY_WITH_COUNT(Name, name, parameters, names)                      \
  LAXITY_WAYS(LAXITY_ENTRY_IF_THERE, MPI_, Name, name, _c, parameters, names) \
  LAXITY_WAYS(LAXITY_ENTRY_IF_THERE, PMPI_, Name, name, _c, parameters, names)
#define LAXITY_COLLECTIVE(Name, name, shape, names) \
  LAXITY_WITH_COUNT(Name, name, (shape(Count), Handle communicator), names)
#define LAXITY_ROOTED(Name, name, shape, names) \
  LAXITY_WITH_COUNT(Name, name, (shape(Count), int root, Handle communicator), names)

LAXITY_EACH_WITH_COUNTS(LAXITY_COLLECTIVE, LAXITY_ROOTED)

}  // namespace laxity::trace::preload

#endif
