// The entry points of all collectives with int counts: blocking, nonblocking and persistent, with MPI_ and PMPI_ names.
//
// C and C++ programs, mpi4py and the Fortran bindings of MPICH call MPI_ names. The Fortran bindings of Open MPI call
// PMPI_ names, which tools that intercept only MPI_ names do not see. A call may pass several entry points; the first
// one counts it (recorder.hpp). Elsewhere: functions with counts of type MPI_Count (entries_large_count.cpp).
#include "laxity/trace/detail/preload/entry_shapes.hpp"

namespace laxity::trace::preload {

// MPIX_ names are the persistent collectives of Open MPI 4, which preceded MPI 4.0.
#define LAXITY_WITH_INT(Name, name, parameters, names)                         \
  LAXITY_ALL_FORMS(LAXITY_ENTRY, MPI_, Name, name, , parameters, names)        \
  LAXITY_ALL_FORMS(LAXITY_ENTRY, PMPI_, Name, name, , parameters, names)       \
  LAXITY_PERSISTENT(LAXITY_ENTRY, MPIX_##Name##_init, name, parameters, names) \
  LAXITY_PERSISTENT(LAXITY_ENTRY, PMPIX_##Name##_init, name, parameters, names)
#define LAXITY_COLLECTIVE(Name, name, shape, names) \
  LAXITY_WITH_INT(Name, name, (shape(int), Handle communicator), names)
#define LAXITY_ROOTED(Name, name, shape, names) \
  LAXITY_WITH_INT(Name, name, (shape(int), int root, Handle communicator), names)

LAXITY_WITH_INT(Barrier, barrier, (Handle communicator), (communicator))
LAXITY_EACH_WITH_COUNTS(LAXITY_COLLECTIVE, LAXITY_ROOTED)

}  // namespace laxity::trace::preload
