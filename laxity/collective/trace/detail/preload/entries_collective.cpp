// The entry points of all collectives: blocking, nonblocking and persistent, under MPI_ and PMPI_ names. Those with MPI_Count
// (MPI_Bcast_c) are left alone: programs find out by such a name whether their MPI has it, and would find ours.
//
// Programs in C and C++ and Python's mpi4py call MPI_ names; the Fortran bindings of Open MPI call PMPI_ names, past
// those who intercept MPI_ ones only; those of MPICH call MPI_ names. Which of them a call passes does not matter:
// the first counts it (recorder.hpp).
#include "laxity/collective/trace/detail/preload/traced_call.hpp"

namespace laxity::trace::preload {

// The parameters of each collective; Number is the type of a count. Handles and displacements are words.
#define LAXITY_BUFFERS(Number) \
  const void *send, Number send_count, Handle send_type, void *receive, Number receive_count, Handle receive_type
#define LAXITY_BUFFER_NAMES send, send_count, send_type, receive, receive_count, receive_type
#define LAXITY_BUFFERS_V(Number)                                                                                \
  const void *send, const Number *send_counts, const void *send_displacements, Handle send_type, void *receive, \
      const Number *receive_counts, const void *receive_displacements, Handle receive_type
#define LAXITY_BUFFERS_W(Number)                                                                                     \
  const void *send, const Number *send_counts, const void *send_displacements, const void *send_type, void *receive, \
      const Number *receive_counts, const void *receive_displacements, const void *receive_type
#define LAXITY_BUFFER_NAMES_V \
  send, send_counts, send_displacements, send_type, receive, receive_counts, receive_displacements, receive_type
#define LAXITY_BUFFERS_GATHERV(Number)                                                                \
  const void *send, Number send_count, Handle send_type, void *receive, const Number *receive_counts, \
      const void *receive_displacements, Handle receive_type
#define LAXITY_BUFFER_NAMES_GATHERV \
  send, send_count, send_type, receive, receive_counts, receive_displacements, receive_type
#define LAXITY_BUFFERS_SCATTERV(Number)                                                                         \
  const void *send, const Number *send_counts, const void *send_displacements, Handle send_type, void *receive, \
      Number receive_count, Handle receive_type
#define LAXITY_BUFFER_NAMES_SCATTERV \
  send, send_counts, send_displacements, send_type, receive, receive_count, receive_type
#define LAXITY_REDUCED(Number) const void *send, void *receive, Number count, Handle type, Handle operation
#define LAXITY_REDUCED_NAMES send, receive, count, type, operation
#define LAXITY_REDUCED_V(Number) const void *send, void *receive, const Number *counts, Handle type, Handle operation

#define LAXITY_UNPACKED(...) __VA_ARGS__

#define LAXITY_BLOCKING(function, kind, parameters, names)                                 \
  extern "C" LAXITY_EXPORT int function(LAXITY_UNPACKED parameters) {                      \
    static constinit Next<int(LAXITY_UNPACKED parameters)> next(#function);                \
    return trace_blocking(                                                                 \
        Kind::kind, communicator, __builtin_return_address(0), [&] { return next names; }, \
        [&](Volume &volume) { preload::kind(volume, LAXITY_UNPACKED names); });            \
  }
#define LAXITY_NONBLOCKING(function, kind, parameters, names)                        \
  extern "C" LAXITY_EXPORT int function(LAXITY_UNPACKED parameters, void *request) { \
    static constinit Next<int(LAXITY_UNPACKED parameters, void *)> next(#function);  \
    return trace_nonblocking(                                                        \
        Kind::kind, communicator, request, __builtin_return_address(0),              \
        [&] { return next(LAXITY_UNPACKED names, request); },                        \
        [&](Volume &volume) { preload::kind(volume, LAXITY_UNPACKED names); });      \
  }
#define LAXITY_PERSISTENT(function, kind, parameters, names)                                      \
  extern "C" LAXITY_EXPORT int function(LAXITY_UNPACKED parameters, Handle info, void *request) { \
    static constinit Next<int(LAXITY_UNPACKED parameters, Handle, void *)> next(#function);       \
    return trace_persistent(                                                                      \
        Kind::kind, communicator, request, __builtin_return_address(0),                           \
        [&] { return next(LAXITY_UNPACKED names, info, request); },                               \
        [&](Volume &volume) { preload::kind(volume, LAXITY_UNPACKED names); });                   \
  }

#define LAXITY_WAYS(prefix, Name, name, suffix, parameters, names)     \
  LAXITY_BLOCKING(prefix##Name##suffix, name, parameters, names)       \
  LAXITY_NONBLOCKING(prefix##I##name##suffix, name, parameters, names) \
  LAXITY_PERSISTENT(prefix##Name##_init##suffix, name, parameters, names)

// MPIX_ names: persistent collectives of Open MPI 4, before MPI 4.0 had them.
#define LAXITY_WITH_INT(Name, name, parameters, names)           \
  LAXITY_WAYS(MPI_, Name, name, , parameters, names)             \
  LAXITY_WAYS(PMPI_, Name, name, , parameters, names)            \
  LAXITY_PERSISTENT(MPIX_##Name##_init, name, parameters, names) \
  LAXITY_PERSISTENT(PMPIX_##Name##_init, name, parameters, names)

// `shape` makes the parameters from the type of a count.
#define LAXITY_COLLECTIVE(Name, name, shape, names) \
  LAXITY_WITH_INT(Name, name, (shape(int), Handle communicator), names)
#define LAXITY_ROOTED(Name, name, shape, names) \
  LAXITY_WITH_INT(Name, name, (shape(int), int root, Handle communicator), names)
#define LAXITY_BROADCAST(Number) void *buffer, Number count, Handle type

LAXITY_WITH_INT(Barrier, barrier, (Handle communicator), (communicator))
LAXITY_ROOTED(Bcast, bcast, LAXITY_BROADCAST, (buffer, count, type, root, communicator))
LAXITY_ROOTED(Gather, gather, LAXITY_BUFFERS, (LAXITY_BUFFER_NAMES, root, communicator))
LAXITY_ROOTED(Gatherv, gatherv, LAXITY_BUFFERS_GATHERV, (LAXITY_BUFFER_NAMES_GATHERV, root, communicator))
LAXITY_ROOTED(Scatter, scatter, LAXITY_BUFFERS, (LAXITY_BUFFER_NAMES, root, communicator))
LAXITY_ROOTED(Scatterv, scatterv, LAXITY_BUFFERS_SCATTERV, (LAXITY_BUFFER_NAMES_SCATTERV, root, communicator))
LAXITY_COLLECTIVE(Allgather, allgather, LAXITY_BUFFERS, (LAXITY_BUFFER_NAMES, communicator))
LAXITY_COLLECTIVE(Allgatherv, allgatherv, LAXITY_BUFFERS_GATHERV, (LAXITY_BUFFER_NAMES_GATHERV, communicator))
LAXITY_COLLECTIVE(Alltoall, alltoall, LAXITY_BUFFERS, (LAXITY_BUFFER_NAMES, communicator))
LAXITY_COLLECTIVE(Alltoallv, alltoallv, LAXITY_BUFFERS_V, (LAXITY_BUFFER_NAMES_V, communicator))
LAXITY_COLLECTIVE(Alltoallw, alltoallw, LAXITY_BUFFERS_W, (LAXITY_BUFFER_NAMES_V, communicator))
LAXITY_ROOTED(Reduce, reduce, LAXITY_REDUCED, (LAXITY_REDUCED_NAMES, root, communicator))
LAXITY_COLLECTIVE(Allreduce, allreduce, LAXITY_REDUCED, (LAXITY_REDUCED_NAMES, communicator))
LAXITY_COLLECTIVE(Reduce_scatter, reduce_scatter, LAXITY_REDUCED_V,
                  (send, receive, counts, type, operation, communicator))
LAXITY_COLLECTIVE(Reduce_scatter_block, reduce_scatter_block, LAXITY_REDUCED, (LAXITY_REDUCED_NAMES, communicator))
LAXITY_COLLECTIVE(Scan, scan, LAXITY_REDUCED, (LAXITY_REDUCED_NAMES, communicator))
LAXITY_COLLECTIVE(Exscan, exscan, LAXITY_REDUCED, (LAXITY_REDUCED_NAMES, communicator))
LAXITY_COLLECTIVE(Neighbor_allgather, neighbor_allgather, LAXITY_BUFFERS, (LAXITY_BUFFER_NAMES, communicator))
LAXITY_COLLECTIVE(Neighbor_allgatherv, neighbor_allgatherv, LAXITY_BUFFERS_GATHERV,
                  (LAXITY_BUFFER_NAMES_GATHERV, communicator))
LAXITY_COLLECTIVE(Neighbor_alltoall, neighbor_alltoall, LAXITY_BUFFERS, (LAXITY_BUFFER_NAMES, communicator))
LAXITY_COLLECTIVE(Neighbor_alltoallv, neighbor_alltoallv, LAXITY_BUFFERS_V, (LAXITY_BUFFER_NAMES_V, communicator))
LAXITY_COLLECTIVE(Neighbor_alltoallw, neighbor_alltoallw, LAXITY_BUFFERS_W, (LAXITY_BUFFER_NAMES_V, communicator))

}  // namespace laxity::trace::preload
