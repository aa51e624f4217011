// The entry points that make and free communicators: they are watched so that a communicator has the same name in all its
// processes (communicators.hpp), and so that a new one that gets the handle of a freed one is not taken for it.
#include "laxity/trace/detail/preload/traced_call.hpp"

namespace laxity::trace::preload {
namespace {

template <class Call_next>
int watch_making(Handle parent, const void* made, Call_next next) {
  Recorder* recorder = Recorder::here();
  if (recorder == nullptr) return next();
  Recorder::Inside inside;
  const int code = next();
  inside.keep_errno();
  if (code == 0) recorder->made(parent, recorder->abi().load(made));
  return code;
}

template <class Call_next>
int watch_freeing(const void* communicator, Call_next next) {
  Recorder* recorder = Recorder::here();
  if (recorder == nullptr) return next();
  Recorder::Inside inside;
  recorder->forget(recorder->abi().load(communicator));
  const int code = next();
  inside.keep_errno();
  return code;
}

}  // namespace

#define LAXITY_UNPACKED(...) __VA_ARGS__
#define LAXITY_MAKES(function, parameters, names)                           \
  extern "C" LAXITY_EXPORT int function(LAXITY_UNPACKED parameters) {       \
    static constinit Next<int(LAXITY_UNPACKED parameters)> next(#function); \
    return watch_making(parent, made, [&] { return next names; });          \
  }
#define LAXITY_FREES(function)                                              \
  extern "C" LAXITY_EXPORT int function(void* communicator) {               \
    static constinit Next<int(void*)> next(#function);                      \
    return watch_freeing(communicator, [&] { return next(communicator); }); \
  }

#define LAXITY_COMMUNICATORS(prefix)                                                                             \
  LAXITY_MAKES(prefix##Comm_dup, (Handle parent, void* made), (parent, made))                                    \
  LAXITY_MAKES(prefix##Comm_dup_with_info, (Handle parent, Handle info, void* made), (parent, info, made))       \
  LAXITY_MAKES(prefix##Comm_create, (Handle parent, Handle group, void* made), (parent, group, made))            \
  LAXITY_MAKES(prefix##Comm_create_group, (Handle parent, Handle group, int tag, void* made),                    \
               (parent, group, tag, made))                                                                       \
  LAXITY_MAKES(prefix##Comm_split, (Handle parent, int color, int key, void* made), (parent, color, key, made))  \
  LAXITY_MAKES(prefix##Comm_split_type, (Handle parent, int type, int key, Handle info, void* made),             \
               (parent, type, key, info, made))                                                                  \
  LAXITY_MAKES(prefix##Cart_create,                                                                              \
               (Handle parent, int number, const int* dimensions, const int* periods, int reorder, void* made),  \
               (parent, number, dimensions, periods, reorder, made))                                             \
  LAXITY_MAKES(prefix##Cart_sub, (Handle parent, const int* remaining, void* made), (parent, remaining, made))   \
  LAXITY_MAKES(prefix##Graph_create,                                                                             \
               (Handle parent, int nodes, const int* index, const int* edges, int reorder, void* made),          \
               (parent, nodes, index, edges, reorder, made))                                                     \
  LAXITY_MAKES(prefix##Dist_graph_create,                                                                        \
               (Handle parent, int number, const int* sources, const int* degrees, const int* destinations,      \
                const int* weights, Handle info, int reorder, void* made),                                       \
               (parent, number, sources, degrees, destinations, weights, info, reorder, made))                   \
  LAXITY_MAKES(prefix##Dist_graph_create_adjacent,                                                               \
               (Handle parent, int in_degree, const int* sources, const int* source_weights, int out_degree,     \
                const int* destinations, const int* destination_weights, Handle info, int reorder, void* made),  \
               (parent, in_degree, sources, source_weights, out_degree, destinations, destination_weights, info, \
                reorder, made))                                                                                  \
  LAXITY_MAKES(prefix##Intercomm_create,                                                                         \
               (Handle parent, int leader, Handle peer, int remote_leader, int tag, void* made),                 \
               (parent, leader, peer, remote_leader, tag, made))                                                 \
  LAXITY_MAKES(prefix##Intercomm_merge, (Handle parent, int high, void* made), (parent, high, made))             \
  LAXITY_FREES(prefix##Comm_free)                                                                                \
  LAXITY_FREES(prefix##Comm_disconnect)

LAXITY_COMMUNICATORS(MPI_)
LAXITY_COMMUNICATORS(PMPI_)

}  // namespace laxity::trace::preload
