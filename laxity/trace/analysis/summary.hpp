// What traced calls come to: how far apart the processes arrive, what share of the time goes into collectives, and how
// much of that is waiting for the last to arrive.
//
// Source: Salimi Beni, Cosenza and Hunold, MPI collective algorithm selection in the presence of process arrival patterns,
// section II (total and last delay) and V-A (skew of an application). Times are ns on the global clock. A process waits
// from its arrival to the last arrival, or until it leaves, if that is earlier. Of a nonblocking call only what is spent in
// the call itself and in the wait or test that completes it counts as time in collectives. Threads: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "laxity/trace/analysis/job.hpp"

namespace laxity::trace {

/// One call. Of a call that not all processes completed, the delays are those of the others.
struct CallFigures {
  std::int64_t first_arrival_ns = 0, last_arrival_ns = 0, last_exit_ns = 0;
  std::int64_t inside_ns = 0;   ///< Σ over the processes
  std::int64_t waiting_ns = 0;  ///< of it, before the last arrival

  [[nodiscard]] std::int64_t skew_ns() const noexcept { return last_arrival_ns - first_arrival_ns; }
  [[nodiscard]] std::int64_t last_delay_ns() const noexcept { return last_exit_ns - last_arrival_ns; }
  [[nodiscard]] std::int64_t total_delay_ns() const noexcept { return last_exit_ns - first_arrival_ns; }
};
[[nodiscard]] CallFigures figures_of(const Job& job, const CollectiveCall& call);

/// All calls of one collective on one communicator, started in one way.
struct CollectiveSummary {
  Kind kind = Kind::barrier;
  Start start = Start::blocking;
  std::uint32_t communicator = 0;
  std::uint64_t calls = 0;
  std::uint64_t min_bytes = 0, max_bytes = 0;  ///< of a message
  double mean_bytes = 0;
  std::uint64_t bytes_sent = 0;                ///< by all processes
  std::int64_t inside_ns = 0, waiting_ns = 0;  ///< Σ over processes and calls
  double mean_skew_ns = 0;
  std::int64_t max_skew_ns = 0;
  double mean_last_delay_ns = 0;
};

struct ProcessSummary {
  std::uint32_t rank = 0;
  std::uint64_t calls = 0;
  std::uint64_t bytes_sent = 0, bytes_received = 0;
  std::int64_t elapsed_ns = 0;  ///< from MPI_Init to MPI_Finalize, or as far as is known
  std::int64_t inside_ns = 0, waiting_ns = 0;
  double mean_delay_ns = 0;  ///< behind the first to arrive, over all calls
};

struct Summary {
  std::vector<CollectiveSummary> collectives;  ///< the one that takes most time first
  std::vector<ProcessSummary> processes;       ///< as Job::processes
  std::int64_t elapsed_ns = 0;                 ///< Σ over the processes
  std::int64_t inside_ns = 0, waiting_ns = 0;

  [[nodiscard]] double share_inside() const noexcept {
    return elapsed_ns > 0 ? static_cast<double>(inside_ns) / static_cast<double>(elapsed_ns) : 0;
  }
  /// Of the time in collectives.
  [[nodiscard]] double share_waiting() const noexcept {
    return inside_ns > 0 ? static_cast<double>(waiting_ns) / static_cast<double>(inside_ns) : 0;
  }
};
[[nodiscard]] Summary summarize(const Job& job);

}  // namespace laxity::trace
