// Statistics of traced calls: skew, delays, time in collectives, and the part of that time that is spent waiting for
// the last process to arrive.
//
// Source: Salimi Beni, Cosenza and Hunold, MPI collective algorithm selection in the presence of process arrival
// patterns, section II (total and last delay) and V-A (skew of an application). Times are ns on the global clock. A
// process waits from its own arrival until the last arrival, or until it exits if that is earlier. Of a nonblocking
// call, only the time in the call itself and in the wait or test that completes it counts as time in collectives. Time
// that several threads of a process spend in collectives at once counts once.
// Memory: does not grow with the number of calls. Threads: pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "laxity/trace/analysis/job.hpp"
#include "laxity/trace/file/kind.hpp"
#include "laxity/trace/file/record.hpp"

namespace laxity::trace {

/// The fraction of two durations; 0 if `whole` is not positive.
[[nodiscard]] constexpr double fraction(std::int64_t part, std::int64_t whole) noexcept {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

/// The figures of one call. Processes that did not complete the call have no part in its delays.
struct CallFigures {
  std::int64_t first_arrival_ns = 0, last_arrival_ns = 0, last_exit_ns = 0;
  std::int64_t inside_ns = 0;   ///< time in the call, the sum over the parts
  std::int64_t waiting_ns = 0;  ///< the part of inside_ns before the last arrival

  [[nodiscard]] std::int64_t skew_ns() const noexcept { return last_arrival_ns - first_arrival_ns; }
  [[nodiscard]] std::int64_t last_delay_ns() const noexcept { return last_exit_ns - last_arrival_ns; }
  [[nodiscard]] std::int64_t total_delay_ns() const noexcept { return last_exit_ns - first_arrival_ns; }
};
[[nodiscard]] CallFigures figures_of(const CollectiveCall& call);

/// The delays of a process in the calls of one collective: arrivals relative to the first ones.
struct ProcessDelay {
  std::uint32_t process = 0;  ///< index in Job::processes
  std::uint64_t calls = 0;
  double mean_ns = 0;
  std::int64_t max_ns = 0;
};

/// All calls of one collective on one communicator that were started in the same way.
struct CollectiveSummary {
  Kind kind = Kind::barrier;
  Start start = Start::blocking;
  std::uint32_t communicator = 0;
  std::uint64_t calls = 0;
  std::uint64_t min_bytes = 0, max_bytes = 0;  ///< message size
  double mean_bytes = 0;
  std::uint64_t bytes_sent = 0;                ///< by all processes
  std::int64_t inside_ns = 0, waiting_ns = 0;  ///< sums over the processes
  double mean_skew_ns = 0;
  std::int64_t max_skew_ns = 0;
  double mean_last_delay_ns = 0;
  std::vector<ProcessDelay> delays;  ///< of the processes that took part
};

struct ProcessSummary {
  std::uint32_t rank = 0;
  std::uint64_t calls = 0;
  std::uint64_t bytes_sent = 0, bytes_received = 0;
  std::int64_t elapsed_ns = 0;  ///< from MPI_Init to MPI_Finalize, or to the last record
  std::int64_t inside_ns = 0, waiting_ns = 0;
  double mean_delay_ns = 0;  ///< arrival relative to the first arrival, the mean over all calls
};

struct Summary {
  std::vector<CollectiveSummary> collectives;  ///< in descending order of time
  std::vector<ProcessSummary> processes;       ///< in the order of Job::processes
  std::int64_t elapsed_ns = 0;                 ///< sum over the processes
  std::int64_t inside_ns = 0, waiting_ns = 0;
  std::uint64_t left_out = 0;  ///< calls of processes that called another collective than others at the same place

  [[nodiscard]] double share_inside() const noexcept { return fraction(inside_ns, elapsed_ns); }
  /// The waiting share of the time in collectives.
  [[nodiscard]] double share_waiting() const noexcept { return fraction(waiting_ns, inside_ns); }
};

/// Reads all calls once. `also` sees each of them with its figures.
using VisitFigures = std::function<void(const CollectiveCall&, const CallFigures&)>;
[[nodiscard]] Summary summarize(const Job& job, const VisitFigures& also = {});

}  // namespace laxity::trace
