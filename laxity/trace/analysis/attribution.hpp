// Who is late in collectives, and why: the time in them divided into transfer, waiting for the late, and unknown; the
// waiting attributed to the process that was waited for, and to what made it late.
//
// Source: the wait states are those of Scalasca (Wait at N x N, Wait at Barrier, Late Broadcast, Early Reduce, Early
// Scan; Geimer et al., The Scalasca performance toolset architecture, CCPE 22 (2010)); their causes are the delays of
// Boehme et al., Identifying the root causes of wait states in large-scale parallel applications, ACM TOPC 3 (2016),
// for collectives: what the late process did longer than the waiting one since their last collectives. docs/waiting.md
// has the equations.
// Invariants: transfer + waiting + unknown is the time in the calls; the waiting of all causes and of all late
// processes is the waiting; waiting_low <= waiting <= waiting_high.
// Memory: does not grow with the number of calls. Threads: pure functions; the files are read twice.
// Elsewhere: the figures of calls (summary.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "laxity/trace/analysis/job.hpp"
#include "laxity/trace/analysis/summary.hpp"

namespace laxity::trace {

/// What made a process late.
enum class Cause : std::uint8_t {
  work,     ///< it usually computes longer than the others before this call
  noise,    ///< this time it computed longer than it usually does
  earlier,  ///< it left an earlier collective later than the others
  unknown,  ///< too few calls to know what is usual, or not all calls were recorded
};
inline constexpr std::array<std::string_view, 4> cause_names{"work", "noise", "earlier", "unknown"};
[[nodiscard]] constexpr std::string_view name_of(Cause cause) noexcept {
  return cause_names[static_cast<std::size_t>(cause)];
}

/// Time by cause, ns.
using ByCause = std::array<double, cause_names.size()>;

/// Time of processes in collectives, ns. Of the calls of several threads at once each counts.
struct DividedTime {
  double transfer_ns = 0;                          ///< what the calls take when nobody is late
  double waiting_ns = 0;                           ///< for the late
  double unknown_ns = 0;                           ///< one of both
  double waiting_low_ns = 0, waiting_high_ns = 0;  ///< the range of the waiting, with the clocks' error and the unknown

  DividedTime& operator+=(const DividedTime& other) noexcept;
};

/// The process that others waited for.
struct Lateness {
  std::uint32_t process = 0;  ///< index in Job::processes
  std::uint64_t calls = 0;    ///< whose time was mostly waiting, most of it for this one
  ByCause waiting_ns{};       ///< of the others, by what made this process late
  double propagated_ns = 0;   ///< waiting in later calls, for any process that was late because this one had been

  [[nodiscard]] double of(Cause cause) const noexcept { return waiting_ns[static_cast<std::size_t>(cause)]; }
  [[nodiscard]] double direct_ns() const noexcept;
  /// What the process caused by itself, at once and in later calls.
  [[nodiscard]] double caused_ns() const noexcept { return direct_ns() - of(Cause::earlier) + propagated_ns; }
};

/// One call.
struct CallAttribution {
  DividedTime time;
  ByCause waiting_ns{};    ///< by cause
  std::uint32_t late = 0;  ///< index in Job::processes of the one that the others waited for most

  /// What most of the time in the call is: "transfer", "unknown", or a cause of waiting. Waiting with an unknown cause
  /// is unknown.
  [[nodiscard]] std::string_view largest() const noexcept;
};

/// All calls of one collective on one communicator that were started in the same way.
struct CollectiveAttribution {
  DividedTime time;
  std::vector<Lateness> late;  ///< the processes that others waited for, in descending order of caused_ns()
};

struct Attribution {
  Summary summary;
  std::vector<CollectiveAttribution> collectives;  ///< in the order of summary.collectives
  DividedTime time;                                ///< of all of them
  std::vector<Lateness> late;                      ///< over all of them, in descending order of caused_ns()
};

using VisitAttributed = std::function<void(const CollectiveCall&, const CallFigures&, const CallAttribution&)>;

/// Summarizes a job and attributes its waiting. `also` sees each call.
[[nodiscard]] Attribution attribute(const Job& job, const VisitAttributed& also = {});

}  // namespace laxity::trace
