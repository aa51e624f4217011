// The entry points that initialize and finalize MPI. MPI_Abort and a missing MPI_Finalize need none, since all records
// are already in the file.
#include "laxity/trace/detail/preload/session.hpp"
#include "laxity/trace/detail/preload/traced_call.hpp"

namespace laxity::trace::preload {
namespace {

template <class CallNext>
int begin_with(CallNext next) {
  if (Recorder::is_passing_through()) return next();
  Recorder::PassThrough pass_through;
  const int code = next();
  pass_through.keep_errno();
  if (code == 0) begin_session();
  return code;
}

template <class CallNext>
int end_with(CallNext next) {
  if (Recorder::is_passing_through()) return next();
  Recorder::PassThrough pass_through;
  end_session();
  pass_through.restore_errno();
  const int code = next();
  pass_through.keep_errno();
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
