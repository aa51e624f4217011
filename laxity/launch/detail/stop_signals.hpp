// Turns SIGINT (Ctrl-C) and SIGTERM into a request to stop; the destructor restores the old handlers.
//
// Threads: one object at a time in a process; forked children inherit the handlers, which set the flag in shared memory.
#pragma once

#include <signal.h>

#include <atomic>

namespace laxity::detail {

class StopSignals {
 public:
  explicit StopSignals(std::atomic<bool>& stop_flag) noexcept;
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

  /// The number of signals received: the first requests a clean end, a second one ends the process at once.
  [[nodiscard]] static int count() noexcept;
  /// Ends the process by the last signal, as if it had not been caught.
  [[noreturn]] static void die() noexcept;

 private:
  struct sigaction old_interrupt_ {};
  struct sigaction old_terminate_ {};
};

}  // namespace laxity::detail
