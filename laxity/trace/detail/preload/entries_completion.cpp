// The entry points that start persistent operations and complete requests: the Start, Wait and Test families.
//
// Most requests of a program do not belong to collectives, so an entry first checks whether any collective is pending.
#include <vector>

#include "laxity/trace/detail/preload/traced_call.hpp"

namespace laxity::trace::preload {
namespace {

struct PendingRequest {
  int slot;
  Handle request;
};

// `next()` completes some of `count` requests. After success, `completed(slot)` tells whether it completed a request;
// after a failure, the completed requests are those that MPI removed from the array.
template <class CallNext, class Completed>
int trace_completion(int count, const void* requests, CallNext next, Completed completed) {
  Recorder* recorder = Recorder::for_this_thread();
  if (recorder == nullptr || !recorder->has_open()) return next();
  Recorder::PassThrough pass_through;
  thread_local std::vector<PendingRequest> pending;
  pending.clear();
  const Abi& abi = recorder->abi();
  for (int slot = 0; slot < count; ++slot) {
    const Handle request = abi.load(requests, static_cast<std::size_t>(slot));
    if (recorder->is_active(request)) pending.push_back({slot, request});
  }
  pass_through.restore_errno();
  const std::int64_t begin_ns = pending.empty() ? 0 : Recorder::now_ns();
  const int code = next();
  pass_through.keep_errno();
  if (pending.empty()) return code;
  const std::int64_t end_ns = Recorder::now_ns();
  for (const auto& [slot, request] : pending) {
    const bool removed = abi.load(requests, static_cast<std::size_t>(slot)) != request;
    if (removed || (code == 0 && completed(slot))) recorder->complete(request, code != 0, begin_ns, end_ns);
  }
  return code;
}

bool is_one_of(int slot, int number, const int* slots) {
  for (int i = 0; i < number; ++i) {
    if (slots[i] == slot) return true;
  }
  return false;
}

template <class CallNext>
int trace_start(int count, const void* requests, CallNext next) {
  Recorder* recorder = Recorder::for_this_thread();
  if (recorder == nullptr || !recorder->has_open()) return next();
  Recorder::PassThrough pass_through;
  std::vector<Call> started;
  for (int slot = 0; slot < count; ++slot) {
    Call call;
    if (recorder->begin_start(recorder->abi().load(requests, static_cast<std::size_t>(slot)), call)) {
      started.push_back(call);
    }
  }
  pass_through.restore_errno();
  const std::int64_t begin_ns = Recorder::now_ns();
  const int code = next();
  const std::int64_t end_ns = Recorder::now_ns();
  pass_through.keep_errno();
  for (Call& call : started) {
    call.failed = code != 0;
    call.arrival_ns = begin_ns;
    call.return_ns = end_ns;
    recorder->record(call);
  }
  return code;
}

template <class CallNext>
int trace_request_free(const void* request, CallNext next) {
  Recorder* recorder = Recorder::for_this_thread();
  if (recorder == nullptr || !recorder->has_open()) return next();
  const Recorder::PassThrough pass_through;
  recorder->free(recorder->abi().load(request));
  return next();
}

constexpr auto always = [](int) { return true; };

}  // namespace

#define LAXITY_COMPLETIONS(prefix)                                                                                    \
  extern "C" LAXITY_EXPORT int prefix##Wait(void* request, void* status) {                                            \
    static constinit Next<int(void*, void*)> next(#prefix "Wait");                                                    \
    return trace_completion(                                                                                          \
        1, request, [&] { return next(request, status); }, always);                                                   \
  }                                                                                                                   \
  extern "C" LAXITY_EXPORT int prefix##Test(void* request, int* flag, void* status) {                                 \
    static constinit Next<int(void*, int*, void*)> next(#prefix "Test");                                              \
    return trace_completion(                                                                                          \
        1, request, [&] { return next(request, flag, status); }, [&](int) { return *flag != 0; });                    \
  }                                                                                                                   \
  extern "C" LAXITY_EXPORT int prefix##Waitall(int count, void* requests, void* statuses) {                           \
    static constinit Next<int(int, void*, void*)> next(#prefix "Waitall");                                            \
    return trace_completion(                                                                                          \
        count, requests, [&] { return next(count, requests, statuses); }, always);                                    \
  }                                                                                                                   \
  extern "C" LAXITY_EXPORT int prefix##Testall(int count, void* requests, int* flag, void* statuses) {                \
    static constinit Next<int(int, void*, int*, void*)> next(#prefix "Testall");                                      \
    return trace_completion(                                                                                          \
        count, requests, [&] { return next(count, requests, flag, statuses); }, [&](int) { return *flag != 0; });     \
  }                                                                                                                   \
  extern "C" LAXITY_EXPORT int prefix##Waitany(int count, void* requests, int* index, void* status) {                 \
    static constinit Next<int(int, void*, int*, void*)> next(#prefix "Waitany");                                      \
    return trace_completion(                                                                                          \
        count, requests, [&] { return next(count, requests, index, status); },                                        \
        [&](int slot) { return *index == slot; });                                                                    \
  }                                                                                                                   \
  extern "C" LAXITY_EXPORT int prefix##Testany(int count, void* requests, int* index, int* flag, void* status) {      \
    static constinit Next<int(int, void*, int*, int*, void*)> next(#prefix "Testany");                                \
    return trace_completion(                                                                                          \
        count, requests, [&] { return next(count, requests, index, flag, status); },                                  \
        [&](int slot) { return *flag != 0 && *index == slot; });                                                      \
  }                                                                                                                   \
  extern "C" LAXITY_EXPORT int prefix##Waitsome(int count, void* requests, int* number, int* slots, void* statuses) { \
    static constinit Next<int(int, void*, int*, int*, void*)> next(#prefix "Waitsome");                               \
    return trace_completion(                                                                                          \
        count, requests, [&] { return next(count, requests, number, slots, statuses); },                              \
        [&](int slot) { return is_one_of(slot, *number, slots); });                                                   \
  }                                                                                                                   \
  extern "C" LAXITY_EXPORT int prefix##Testsome(int count, void* requests, int* number, int* slots, void* statuses) { \
    static constinit Next<int(int, void*, int*, int*, void*)> next(#prefix "Testsome");                               \
    return trace_completion(                                                                                          \
        count, requests, [&] { return next(count, requests, number, slots, statuses); },                              \
        [&](int slot) { return is_one_of(slot, *number, slots); });                                                   \
  }                                                                                                                   \
  extern "C" LAXITY_EXPORT int prefix##Start(void* request) {                                                         \
    static constinit Next<int(void*)> next(#prefix "Start");                                                          \
    return trace_start(1, request, [&] { return next(request); });                                                    \
  }                                                                                                                   \
  extern "C" LAXITY_EXPORT int prefix##Startall(int count, void* requests) {                                          \
    static constinit Next<int(int, void*)> next(#prefix "Startall");                                                  \
    return trace_start(count, requests, [&] { return next(count, requests); });                                       \
  }                                                                                                                   \
  extern "C" LAXITY_EXPORT int prefix##Request_free(void* request) {                                                  \
    static constinit Next<int(void*)> next(#prefix "Request_free");                                                   \
    return trace_request_free(request, [&] { return next(request); });                                                \
  }

LAXITY_COMPLETIONS(MPI_)
LAXITY_COMPLETIONS(PMPI_)

}  // namespace laxity::trace::preload
