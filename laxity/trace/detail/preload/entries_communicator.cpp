// The entry points that create and free communicators. They are intercepted so that a communicator has the same id in
// all its processes (communicators.hpp), and so that a new communicator with the handle of a freed one is distinguished
// from it.
#include "laxity/trace/detail/preload/traced_call.hpp"

namespace laxity::trace::preload {
namespace {

template <class CallNext>
int trace_creation(Handle parent, const void* created, CallNext next) {
  Recorder* recorder = Recorder::for_this_thread();
  if (recorder == nullptr) return next();
  Recorder::PassThrough pass_through;
  const int code = next();
  pass_through.keep_errno();
  if (code == 0) recorder->communicator_created(parent, recorder->abi().load(created));
  return code;
}

template <class CallNext>
int trace_free(const void* communicator, CallNext next) {
  Recorder* recorder = Recorder::for_this_thread();
  if (recorder == nullptr) return next();
  Recorder::PassThrough pass_through;
  recorder->communicator_freed(recorder->abi().load(communicator));
  const int code = next();
  pass_through.keep_errno();
  return code;
}

}  // namespace

#define LAXITY_UNPACKED(...) __VA_ARGS__
#define LAXITY_CREATES(function, parameters, names)                         \
  extern "C" LAXITY_EXPORT int function(LAXITY_UNPACKED parameters) {       \
    static constinit Next<int(LAXITY_UNPACKED parameters)> next(#function); \
    return trace_creation(parent, created, [&] { return next names; });     \
  }
#define LAXITY_FREES(function)                                           \
  extern "C" LAXITY_EXPORT int function(void* communicator) {            \
    static constinit Next<int(void*)> next(#function);                   \
    return trace_free(communicator, [&] { return next(communicator); }); \
  }

#define LAXITY_COMMUNICATORS(prefix)                                                                                   \
  LAXITY_CREATES(prefix##Comm_dup, (Handle parent, void* created), (parent, created))                                  \
  LAXITY_CREATES(prefix##Comm_dup_with_info, (Handle parent, Handle info, void* created), (parent, info, created))     \
  LAXITY_CREATES(prefix##Comm_create, (Handle parent, Handle group, void* created), (parent, group, created))          \
  LAXITY_CREATES(prefix##Comm_create_group, (Handle parent, Handle group, int tag, void* created),                     \
                 (parent, group, tag, created))                                                                        \
  LAXITY_CREATES(prefix##Comm_split, (Handle parent, int color, int key, void* created),                               \
                 (parent, color, key, created))                                                                        \
  LAXITY_CREATES(prefix##Comm_split_type, (Handle parent, int type, int key, Handle info, void* created),              \
                 (parent, type, key, info, created))                                                                   \
  LAXITY_CREATES(prefix##Cart_create,                                                                                  \
                 (Handle parent, int number, const int* dimensions, const int* periods, int reorder, void* created),   \
                 (parent, number, dimensions, periods, reorder, created))                                              \
  LAXITY_CREATES(prefix##Cart_sub, (Handle parent, const int* remaining, void* created), (parent, remaining, created)) \
  LAXITY_CREATES(prefix##Graph_create,                                                                                 \
                 (Handle parent, int vertices, const int* index, const int* edges, int reorder, void* created),        \
                 (parent, vertices, index, edges, reorder, created))                                                   \
  LAXITY_CREATES(prefix##Dist_graph_create,                                                                            \
                 (Handle parent, int number, const int* sources, const int* degrees, const int* destinations,          \
                  const int* weights, Handle info, int reorder, void* created),                                        \
                 (parent, number, sources, degrees, destinations, weights, info, reorder, created))                    \
  LAXITY_CREATES(prefix##Dist_graph_create_adjacent,                                                                   \
                 (Handle parent, int in_degree, const int* sources, const int* source_weights, int out_degree,         \
                  const int* destinations, const int* destination_weights, Handle info, int reorder, void* created),   \
                 (parent, in_degree, sources, source_weights, out_degree, destinations, destination_weights, info,     \
                  reorder, created))                                                                                   \
  LAXITY_CREATES(prefix##Intercomm_create,                                                                             \
                 (Handle parent, int leader, Handle peer, int remote_leader, int tag, void* created),                  \
                 (parent, leader, peer, remote_leader, tag, created))                                                  \
  LAXITY_CREATES(prefix##Intercomm_merge, (Handle parent, int high, void* created), (parent, high, created))           \
  LAXITY_FREES(prefix##Comm_free)                                                                                      \
  LAXITY_FREES(prefix##Comm_disconnect)

LAXITY_COMMUNICATORS(MPI_)
LAXITY_COMMUNICATORS(PMPI_)

}  // namespace laxity::trace::preload
