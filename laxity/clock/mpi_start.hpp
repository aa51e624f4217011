// Starting in time: all processes of a communicator leave a call at the same moment of the global clock.
//
// Source: Schuchart, Hunold and Bosilca, Synchronizing MPI processes in space and time (EuroMPI 2023), MPIX_Harmonize. A
// barrier says that everybody has arrived; its exits are as far apart as its messages take. Here rank 0 names a deadline
// once everybody has arrived, and all wait for it on the global clock. Invariants: messages go point to point along a
// binomial tree of its own communicator, so that no collective that is being measured is used. A start of which somebody
// heard too late is not repeated: its caller says whether it counts. Threads: one of each process. Elsewhere: the global
// clock (mpi_sync.hpp).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <utility>

#include "laxity/clock/clock.hpp"
#include "laxity/clock/wait_until.hpp"

namespace laxity {

/// Slack is the time from naming a deadline to the deadline.
struct StartOptions {
  std::int64_t first_slack_ns = 50'000;
  std::int64_t least_slack_ns = 1'000;
  std::int64_t most_slack_ns = 2'000'000;
  double growth = 1.5;       ///< of the slack after a start that somebody missed
  double shrinkage = 0.995;  ///< of the slack after one that nobody missed: one miss in 80 starts at a steady state
};

/// How processes of `comm` should wait: yield if a host has more of them than processors that they may run on.
/// Collective over `comm`.
[[nodiscard]] Waiting suitable_waiting(MPI_Comm comm);

/// What the processes agree on: the next deadline. Without a clock of its own.
class StartAgreement {
 public:
  /// Collective over `comm`, which is duplicated. Throws UsageError for options that make no sense.
  StartAgreement(MPI_Comm comm, const StartOptions& options);
  StartAgreement(const StartAgreement&) = delete;
  StartAgreement& operator=(const StartAgreement&) = delete;
  ~StartAgreement();

  /// Collective: returns on no process before all have called it. `read` reads the global clock; the deadline is its
  /// time. Call report() before the next one.
  [[nodiscard]] std::int64_t agree(const std::function<std::int64_t()>& read);
  /// Whether this process heard of the deadline when it had passed.
  void report(bool missed) noexcept { missed_ = missed ? 1 : 0; }

  /// Of rank 0; elsewhere that of the beginning.
  [[nodiscard]] std::int64_t slack_ns() const noexcept { return slack_ns_; }
  [[nodiscard]] Waiting waiting() const noexcept { return waiting_; }

 private:
  void adapt_slack(bool missed) noexcept;

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  Waiting waiting_ = Waiting::yield;
  StartOptions options_;
  std::int64_t slack_ns_;
  std::int64_t missed_ = 0;  // 1: the last start, by this process
};

/// One start, as one process saw it. It counts if it was in time on all of them.
struct Start {
  std::int64_t deadline_ns;  ///< the same on all processes
  std::int64_t left_ns;      ///< when this process stopped waiting, >= deadline_ns
  bool in_time;              ///< this process was waiting before the deadline
};

/// Makes the processes of a communicator start together on a global clock.
template <Clock C>
class TimedStart {
 public:
  /// Collective over `comm`. `global` is the process's view of the clock that all share.
  TimedStart(MPI_Comm comm, C global, const StartOptions& options = {})
      : agreement_(comm, options), global_(std::move(global)) {}

  /// Collective. Waits for all processes, then for a moment that all agree on.
  [[nodiscard]] Start start() {
    const std::int64_t deadline_ns = agreement_.agree([this] { return global_.now_ns(); });
    const bool in_time = global_.now_ns() < deadline_ns;
    agreement_.report(!in_time);
    return {deadline_ns, wait_until(global_, deadline_ns, waiting()), in_time};
  }

  [[nodiscard]] const C& clock() const noexcept { return global_; }
  [[nodiscard]] Waiting waiting() const noexcept { return agreement_.waiting(); }
  [[nodiscard]] std::int64_t slack_ns() const noexcept { return agreement_.slack_ns(); }

 private:
  StartAgreement agreement_;
  C global_;
};

}  // namespace laxity
