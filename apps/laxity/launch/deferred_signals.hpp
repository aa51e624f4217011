// Ctrl-C between the runs of a study.
//
// While a team runs, it turns SIGINT and SIGTERM into an end of the run, and the study says how to resume. Between two runs
// nobody would: the signal would end the program without a word. One of these objects keeps such a signal for the next run.
#pragma once

#include <signal.h>

namespace laxity::cli {

/// Handles SIGINT and SIGTERM while it exists, wherever no team does. A second signal that finds none ends the program.
/// Threads: one object at a time in a process.
class DeferredSignals {
 public:
  DeferredSignals() noexcept;
  DeferredSignals(const DeferredSignals&) = delete;
  DeferredSignals& operator=(const DeferredSignals&) = delete;
  ~DeferredSignals();

  /// Raises the signal that came while no team ran, if there is one. To be called during a run.
  static void deliver() noexcept;

 private:
  struct sigaction old_interrupt_ {};
  struct sigaction old_terminate_ {};
};

}  // namespace laxity::cli
