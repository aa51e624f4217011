// Turns Ctrl-C and SIGTERM into a request to stop, for as long as it lives; then the old handlers come back.
//
// Threads: one at a time in a process; forked children inherit the handlers, and with them the request in shared
// memory.
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

  /// Signals that came so far: after the first the team ends by itself, a second one means at once.
  [[nodiscard]] static int count() noexcept;
  /// Dies of the last signal, as if it had not been caught.
  [[noreturn]] static void die() noexcept;

 private:
  struct sigaction old_interrupt_ {};
  struct sigaction old_terminate_ {};
};

}  // namespace laxity::detail
