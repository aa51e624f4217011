// The parameters of each collective and the definitions of its three forms (blocking, nonblocking, persistent). They
// are macros, since every function has its own signature.
//
// Number is the type of counts: int, or MPI_Count in large-count functions. `entry` is the macro that begins the
// definition of an entry point: LAXITY_ENTRY, or one that depends on whether MPI has the function. Handles and
// displacements are machine words. Elsewhere: the entry points (entries_collective.cpp, entries_large_count.cpp).
#pragma once

#include "laxity/trace/detail/preload/abi.hpp"
#include "laxity/trace/detail/preload/traced_call.hpp"
#include "laxity/trace/file/kind.hpp"

// The parameters of each shape, and their names.
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

#define LAXITY_BROADCAST(Number) void *buffer, Number count, Handle type

// All collectives with counts. `collective` and `rooted` are macros of (Name, name, shape, names), where shape(Number)
// is the list of parameters.
// clang-format off
#define LAXITY_EACH_WITH_COUNTS(collective, rooted)                                                                         \
  rooted(Bcast, bcast, LAXITY_BROADCAST, (buffer, count, type, root, communicator))                                         \
  rooted(Gather, gather, LAXITY_BUFFERS, (LAXITY_BUFFER_NAMES, root, communicator))                                         \
  rooted(Gatherv, gatherv, LAXITY_BUFFERS_GATHERV, (LAXITY_BUFFER_NAMES_GATHERV, root, communicator))                       \
  rooted(Scatter, scatter, LAXITY_BUFFERS, (LAXITY_BUFFER_NAMES, root, communicator))                                       \
  rooted(Scatterv, scatterv, LAXITY_BUFFERS_SCATTERV, (LAXITY_BUFFER_NAMES_SCATTERV, root, communicator))                   \
  collective(Allgather, allgather, LAXITY_BUFFERS, (LAXITY_BUFFER_NAMES, communicator))                                     \
  collective(Allgatherv, allgatherv, LAXITY_BUFFERS_GATHERV, (LAXITY_BUFFER_NAMES_GATHERV, communicator))                   \
  collective(Alltoall, alltoall, LAXITY_BUFFERS, (LAXITY_BUFFER_NAMES, communicator))                                       \
  collective(Alltoallv, alltoallv, LAXITY_BUFFERS_V, (LAXITY_BUFFER_NAMES_V, communicator))                                 \
  collective(Alltoallw, alltoallw, LAXITY_BUFFERS_W, (LAXITY_BUFFER_NAMES_V, communicator))                                 \
  rooted(Reduce, reduce, LAXITY_REDUCED, (LAXITY_REDUCED_NAMES, root, communicator))                                        \
  collective(Allreduce, allreduce, LAXITY_REDUCED, (LAXITY_REDUCED_NAMES, communicator))                                    \
  collective(Reduce_scatter, reduce_scatter, LAXITY_REDUCED_V, (send, receive, counts, type, operation, communicator))      \
  collective(Reduce_scatter_block, reduce_scatter_block, LAXITY_REDUCED, (LAXITY_REDUCED_NAMES, communicator))              \
  collective(Scan, scan, LAXITY_REDUCED, (LAXITY_REDUCED_NAMES, communicator))                                              \
  collective(Exscan, exscan, LAXITY_REDUCED, (LAXITY_REDUCED_NAMES, communicator))                                          \
  collective(Neighbor_allgather, neighbor_allgather, LAXITY_BUFFERS, (LAXITY_BUFFER_NAMES, communicator))                   \
  collective(Neighbor_allgatherv, neighbor_allgatherv, LAXITY_BUFFERS_GATHERV, (LAXITY_BUFFER_NAMES_GATHERV, communicator)) \
  collective(Neighbor_alltoall, neighbor_alltoall, LAXITY_BUFFERS, (LAXITY_BUFFER_NAMES, communicator))                     \
  collective(Neighbor_alltoallv, neighbor_alltoallv, LAXITY_BUFFERS_V, (LAXITY_BUFFER_NAMES_V, communicator))               \
  collective(Neighbor_alltoallw, neighbor_alltoallw, LAXITY_BUFFERS_W, (LAXITY_BUFFER_NAMES_V, communicator))
// clang-format on

#define LAXITY_ENTRY(function, parameters) extern "C" LAXITY_EXPORT int function parameters
#define LAXITY_UNPACKED(...) __VA_ARGS__

#define LAXITY_BLOCKING(entry, function, kind, parameters, names)                          \
  entry(function, (LAXITY_UNPACKED parameters)) {                                          \
    static constinit Next<int(LAXITY_UNPACKED parameters)> next(#function);                \
    return trace_blocking(                                                                 \
        Kind::kind, communicator, __builtin_return_address(0), [&] { return next names; }, \
        [&](Volume &volume) { preload::kind(volume, LAXITY_UNPACKED names); });            \
  }
#define LAXITY_NONBLOCKING(entry, function, kind, parameters, names)                \
  entry(function, (LAXITY_UNPACKED parameters, void *request)) {                    \
    static constinit Next<int(LAXITY_UNPACKED parameters, void *)> next(#function); \
    return trace_nonblocking(                                                       \
        Kind::kind, communicator, request, __builtin_return_address(0),             \
        [&] { return next(LAXITY_UNPACKED names, request); },                       \
        [&](Volume &volume) { preload::kind(volume, LAXITY_UNPACKED names); });     \
  }
#define LAXITY_PERSISTENT(entry, function, kind, parameters, names)                         \
  entry(function, (LAXITY_UNPACKED parameters, Handle info, void *request)) {               \
    static constinit Next<int(LAXITY_UNPACKED parameters, Handle, void *)> next(#function); \
    return trace_persistent(                                                                \
        Kind::kind, communicator, request, __builtin_return_address(0),                     \
        [&] { return next(LAXITY_UNPACKED names, info, request); },                         \
        [&](Volume &volume) { preload::kind(volume, LAXITY_UNPACKED names); });             \
  }

#define LAXITY_ALL_FORMS(entry, prefix, Name, name, suffix, parameters, names) \
  LAXITY_BLOCKING(entry, prefix##Name##suffix, name, parameters, names)        \
  LAXITY_NONBLOCKING(entry, prefix##I##name##suffix, name, parameters, names)  \
  LAXITY_PERSISTENT(entry, prefix##Name##_init##suffix, name, parameters, names)
