// What every entry point does around the call it stands for: blocking, nonblocking and persistent collectives.
//
// The program sees the return code, errno and buffers of the call itself, nothing of ours.
#pragma once

#include "laxity/trace/detail/preload/recorder.hpp"
#include "laxity/trace/detail/preload/volume.hpp"

#define LAXITY_EXPORT __attribute__((visibility("default")))

namespace laxity::trace::preload {

/// The place in the program that called the entry point whose own return address is given.
[[nodiscard]] inline const void* call_site(const void* return_address) noexcept {
  return fortran_return_address != nullptr ? fortran_return_address : return_address;
}

/// `next()` makes the call; `describe(volume)` says what it moves, and is asked only if it is recorded; `recorded(recorder,
/// call, code)` follows then.
template <class Call_next, class Describe, class Recorded>
int trace_call(Kind kind, Start start, Handle communicator, const void* return_address, Call_next next,
               Describe describe, Recorded recorded) {
  Recorder* recorder = Recorder::here();
  if (recorder == nullptr) return next();
  Recorder::Inside inside;
  Call call;
  call.start = start;
  const KnownCommunicator* known = recorder->admit(kind, communicator, call_site(return_address), call);
  if (known == nullptr) {  // counted and no more: a sampled trace does not read clocks in vain
    inside.restore_errno();
    const int code = next();
    inside.keep_errno();
    return code;
  }
  Volume volume(call, *known, recorder->abi());
  describe(volume);
  inside.restore_errno();
  call.arrival_ns = Recorder::now_ns();
  const int code = next();
  call.return_ns = Recorder::now_ns();
  inside.keep_errno();
  call.failed = code != 0;
  recorder->record(call);
  recorded(*recorder, call, code);
  return code;
}

template <class Call_next, class Describe>
int trace_blocking(Kind kind, Handle communicator, const void* return_address, Call_next next, Describe describe) {
  return trace_call(kind, Start::blocking, communicator, return_address, next, describe,
                    [](Recorder&, const Call&, int) {});
}

/// A call that gives a request, which completes it.
template <class Call_next, class Describe>
int trace_nonblocking(Kind kind, Handle communicator, const void* request, const void* return_address, Call_next next,
                      Describe describe) {
  return trace_call(kind, Start::nonblocking, communicator, return_address, next, describe,
                    [request](Recorder& recorder, const Call& call, int code) {
                      if (code == 0) recorder.open(recorder.abi().load(request), call);
                    });
}

/// The making of a persistent operation. It moves nothing; its starts are recorded.
template <class Call_next, class Describe>
int trace_persistent(Kind kind, Handle communicator, const void* request, const void* return_address, Call_next next,
                     Describe describe) {
  Recorder* recorder = Recorder::here();
  if (recorder == nullptr) return next();
  Recorder::Inside inside;
  inside.restore_errno();
  const int code = next();
  inside.keep_errno();
  if (code != 0) return code;
  Call call;
  const KnownCommunicator* known = recorder->prepare(kind, communicator, call_site(return_address), call);
  if (known == nullptr) return code;
  Volume volume(call, *known, recorder->abi());
  describe(volume);
  recorder->open_persistent(recorder->abi().load(request), call);
  return code;
}

}  // namespace laxity::trace::preload
