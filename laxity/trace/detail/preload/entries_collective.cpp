// The entry points of all collectives with int counts: blocking, nonblocking and persistent, under MPI_ and PMPI_ names.
//
// Programs in C and C++ and Python's mpi4py call MPI_ names; the Fortran bindings of Open MPI call PMPI_ names, past
// those who intercept MPI_ ones only; those of MPICH call MPI_ names. Which of them a call passes does not matter:
// the first counts it (recorder.hpp). Elsewhere: counts of MPI_Count (entries_large_count.cpp).
#include "laxity/trace/detail/preload/entry_shapes.hpp"

namespace laxity::trace::preload {

// MPIX_ names: persistent collectives of Open MPI 4, before MPI 4.0 had them.
#define LAXITY_WITH_INT(Name, name, parameters, names)                         \
  LAXITY_WAYS(LAXITY_ENTRY, MPI_, Name, name, , parameters, names)             \
  LAXITY_WAYS(LAXITY_ENTRY, PMPI_, Name, name, , parameters, names)            \
  LAXITY_PERSISTENT(LAXITY_ENTRY, MPIX_##Name##_init, name, parameters, names) \
  LAXITY_PERSISTENT(LAXITY_ENTRY, PMPIX_##Name##_init, name, parameters, names)
#define LAXITY_COLLECTIVE(Name, name, shape, names) \
  LAXITY_WITH_INT(Name, name, (shape(int), Handle communicator), names)
#define LAXITY_ROOTED(Name, name, shape, names) \
  LAXITY_WITH_INT(Name, name, (shape(int), int root, Handle communicator), names)

LAXITY_WITH_INT(Barrier, barrier, (Handle communicator), (communicator))
LAXITY_EACH_WITH_COUNTS(LAXITY_COLLECTIVE, LAXITY_ROOTED)

}  // namespace laxity::trace::preload
