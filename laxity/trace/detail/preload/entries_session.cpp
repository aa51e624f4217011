// The entry points that begin and end MPI. MPI_Abort and a missing MPI_Finalize need none: what was recorded is in the
// file already.
#include "laxity/trace/detail/preload/session.hpp"
#include "laxity/trace/detail/preload/traced_call.hpp"

namespace laxity::trace::preload {
namespace {

template <class Call_next>
int begin_with(Call_next next) {
  if (Recorder::is_inside()) return next();
  Recorder::Inside inside;
  const int code = next();
  inside.keep_errno();
  if (code == 0) begin_session();
  return code;
}

template <class Call_next>
int end_with(Call_next next) {
  if (Recorder::is_inside()) return next();
  Recorder::Inside inside;
  end_session();
  inside.restore_errno();
  const int code = next();
  inside.keep_errno();
  return code;
}

}  // namespace

#define LAXITY_SESSION(prefix)                                                                             \
  extern "C" LAXITY_EXPORT int prefix##Init(int* argc, char*** argv) {                                     \
    static constinit Next<int(int*, char***)> next(#prefix "Init");                                        \
    return begin_with([&] { return next(argc, argv); });                                                   \
  }                                                                                                        \
  extern "C" LAXITY_EXPORT int prefix##Init_thread(int* argc, char*** argv, int required, int* provided) { \
    static constinit Next<int(int*, char***, int, int*)> next(#prefix "Init_thread");                      \
    return begin_with([&] { return next(argc, argv, required, provided); });                               \
  }                                                                                                        \
  extern "C" LAXITY_EXPORT int prefix##Finalize() {                                                        \
    static constinit Next<int()> next(#prefix "Finalize");                                                 \
    return end_with([&] { return next(); });                                                               \
  }

LAXITY_SESSION(MPI_)
LAXITY_SESSION(PMPI_)

}  // namespace laxity::trace::preload
