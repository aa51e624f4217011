// Timed starts: all processes of a communicator leave a call at the same moment of the global clock.
//
// Source: Schuchart, Hunold and Bosilca, Synchronizing MPI processes in space and time (EuroMPI 2023), MPIX_Harmonize.
// Processes leave a barrier at times that differ by the latency of its messages. Here rank 0 chooses a deadline after
// all processes have arrived, and all wait for it on the global clock.
// Invariants: messages are point to point along a binomial tree in a communicator of its own, so no collective that is
// being measured is used. A start whose deadline reached some process too late is not repeated; its result says so.
// Threads: one of each process. Elsewhere: the global clock (mpi_sync.hpp).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <utility>

#include "laxity/clock/clock.hpp"
#include "laxity/clock/wait_until.hpp"

namespace laxity {

/// Slack is the time from the choice of a deadline to the deadline.
struct StartOptions {
  std::int64_t first_slack_ns = 50'000;
  std::int64_t min_slack_ns = 1'000;
  std::int64_t max_slack_ns = 2'000'000;
  double growth = 1.5;       ///< factor of the slack after a start that some process missed
  double shrinkage = 0.995;  ///< factor otherwise; in the steady state one start in 80 is missed
};

/// How the processes of `comm` should wait: yield if there are more of them on a host than processors that they may run
/// on. Collective over `comm`.
[[nodiscard]] DeadlineWait suitable_waiting(MPI_Comm comm);

/// The agreement of the processes on the next deadline, independent of the type of the clock.
class StartAgreement {
 public:
  /// Collective over `comm`, which is duplicated. Throws UsageError for invalid options.
  StartAgreement(MPI_Comm comm, const StartOptions& options);
  StartAgreement(const StartAgreement&) = delete;
  StartAgreement& operator=(const StartAgreement&) = delete;
  ~StartAgreement();

  /// Collective: returns on no process before all have called it. `read` reads the global clock; the deadline is a time
  /// of that clock. To be followed by report().
  [[nodiscard]] std::int64_t agree(const std::function<std::int64_t()>& read);
  /// Reports whether this process received the deadline after it had passed.
  void report(bool missed) noexcept { missed_ = missed ? 1 : 0; }

  /// The slack at rank 0; at other ranks the first slack.
  [[nodiscard]] std::int64_t slack_ns() const noexcept { return slack_ns_; }
  [[nodiscard]] DeadlineWait waiting() const noexcept { return waiting_; }

 private:
  void adapt_slack(bool missed) noexcept;

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  DeadlineWait waiting_ = DeadlineWait::yield;
  StartOptions options_;
  std::int64_t slack_ns_;
  std::int64_t missed_ = 0;  // 1: this process missed the last start
};

/// The result of one start on one process. The start is valid if it was in time on all of them.
struct AgreedStart {
  std::int64_t deadline_ns;  ///< the same on all processes
  std::int64_t left_ns;      ///< when this process stopped waiting, >= deadline_ns
  bool in_time;              ///< this process was waiting before the deadline
};

/// Makes the processes of a communicator start together on a global clock.
template <Clock C>
class TimedStart {
 public:
  /// Collective over `comm`. `global` is this process's view of the global clock.
  TimedStart(MPI_Comm comm, C global, const StartOptions& options = {})
      : agreement_(comm, options), global_(std::move(global)) {}

  /// Collective. Waits for all processes, then until the deadline.
  [[nodiscard]] AgreedStart start() {
    const std::int64_t deadline_ns = agreement_.agree([this] { return global_.now_ns(); });
    const bool in_time = global_.now_ns() < deadline_ns;
    agreement_.report(!in_time);
    return {deadline_ns, wait_until(global_, deadline_ns, waiting()), in_time};
  }

  [[nodiscard]] const C& clock() const noexcept { return global_; }
  [[nodiscard]] DeadlineWait waiting() const noexcept { return agreement_.waiting(); }
  [[nodiscard]] std::int64_t slack_ns() const noexcept { return agreement_.slack_ns(); }

 private:
  StartAgreement agreement_;
  C global_;
};

}  // namespace laxity
