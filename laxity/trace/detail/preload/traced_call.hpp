// What every entry point does before and after the intercepted call: blocking, nonblocking and persistent collectives.
//
// The program sees the return code, errno and buffers of the call itself.
#pragma once

#include "laxity/trace/detail/preload/abi.hpp"
#include "laxity/trace/detail/preload/recorder.hpp"
#include "laxity/trace/detail/preload/volume.hpp"
#include "laxity/trace/file/kind.hpp"
#include "laxity/trace/file/record.hpp"

#define LAXITY_EXPORT __attribute__((visibility("default")))

namespace laxity::trace::preload {

/// The call site in the program, given the return address of the entry point.
[[nodiscard]] inline const void* call_site(const void* return_address) noexcept {
  return fortran_return_address != nullptr ? fortran_return_address : return_address;
}

/// `next()` makes the call. If it is recorded, `describe(volume)` counts its bytes and `recorded(recorder, call, code)`
/// is called afterwards.
template <class CallNext, class Describe, class Recorded>
int trace_call(Kind kind, Start start, Handle communicator, const void* return_address, CallNext next,
               Describe describe, Recorded recorded) {
  Recorder* recorder = Recorder::for_this_thread();
  if (recorder == nullptr) return next();
  Recorder::PassThrough pass_through;
  Call call;
  call.start = start;
  const KnownCommunicator* known = recorder->begin_call(kind, communicator, call_site(return_address), call);
  if (known == nullptr) {  // counted but not recorded, so no clock is read
    pass_through.restore_errno();
    const int code = next();
    pass_through.keep_errno();
    return code;
  }
  Volume volume(call, *known, recorder->abi());
  describe(volume);
  pass_through.restore_errno();
  call.arrival_ns = Recorder::now_ns();
  const int code = next();
  call.return_ns = Recorder::now_ns();
  pass_through.keep_errno();
  call.failed = code != 0;
  recorder->record(call);
  recorded(*recorder, call, code);
  return code;
}

template <class CallNext, class Describe>
int trace_blocking(Kind kind, Handle communicator, const void* return_address, CallNext next, Describe describe) {
  return trace_call(kind, Start::blocking, communicator, return_address, next, describe,
                    [](Recorder&, const Call&, int) {});
}

/// A call that returns a request, whose completion completes it.
template <class CallNext, class Describe>
int trace_nonblocking(Kind kind, Handle communicator, const void* request, const void* return_address, CallNext next,
                      Describe describe) {
  return trace_call(kind, Start::nonblocking, communicator, return_address, next, describe,
                    [request](Recorder& recorder, const Call& call, int code) {
                      if (code == 0) recorder.open(recorder.abi().load(request), call);
                    });
}

/// The creation of a persistent operation. Only its starts are recorded.
template <class CallNext, class Describe>
int trace_persistent(Kind kind, Handle communicator, const void* request, const void* return_address, CallNext next,
                     Describe describe) {
  Recorder* recorder = Recorder::for_this_thread();
  if (recorder == nullptr) return next();
  Recorder::PassThrough pass_through;
  pass_through.restore_errno();
  const int code = next();
  pass_through.keep_errno();
  if (code != 0) return code;
  Call call;
  const KnownCommunicator* known = recorder->define_persistent(kind, communicator, call_site(return_address), call);
  if (known == nullptr) return code;
  Volume volume(call, *known, recorder->abi());
  describe(volume);
  recorder->open_persistent(recorder->abi().load(request), call);
  return code;
}

}  // namespace laxity::trace::preload
