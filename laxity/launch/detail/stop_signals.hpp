// Turns SIGINT (Ctrl-C) and SIGTERM into a request to stop; the destructor restores the old handlers.
//
// A signal to any process of the team requests the stop of all, and the request keeps which signal was the first: a run
// that a signal has shortened is never taken for a whole one.
// Threads: one object at a time in a process. Forked children inherit the handlers and call is_process().
#pragma once

#include <signal.h>

#include <string>
#include <string_view>

#include "laxity/launch/detail/team_memory.hpp"

namespace laxity::detail {

/// "signal 15, Terminated"
[[nodiscard]] std::string name_of_signal(int number);

class StopSignals {
 public:
  /// `process` is the number of this process in its team; -1: of the process that forks the others. Throws UsageError
  /// if a team runs in this process already.
  explicit StopSignals(StopRequest& request, int process);
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

  /// To be called in a forked child: its number in the team.
  static void is_process(int process) noexcept;
  /// The number of signals that this process received: the first requests a clean end, a second one ends it at once.
  [[nodiscard]] static int count() noexcept;
  /// The first signal to the team: "signal 15, Terminated, to process 1"; empty: none. A signal that this process
  /// received too comes without a number: a terminal sends it to all. `kind` is the word for a process.
  [[nodiscard]] static std::string first_signal(const StopRequest& request, std::string_view kind);
  /// Ends the process by the last signal, as if it had not been caught.
  [[noreturn]] static void die() noexcept;

 private:
  struct sigaction old_interrupt_ {};
  struct sigaction old_terminate_ {};
};

}  // namespace laxity::detail
