// Arrival patterns of a traced application: the delay of each process in its collectives.
//
// Source: Salimi Beni, Cosenza and Hunold, section V-A: delays are relative to the first arrival of each call; their
// mean over the calls is the application's pattern. Process i of a pattern is the i-th traced process of the
// communicator in the order of MPI_COMM_WORLD. Threads: pure functions. Elsewhere: pattern files
// (laxity/collective/patterns/pattern_file.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "laxity/collective/patterns/pattern_file.hpp"
#include "laxity/trace/analysis/job.hpp"
#include "laxity/trace/file/kind.hpp"

namespace laxity::trace {

/// The calls of one collective on one communicator.
struct Selection {
  Kind kind = Kind::alltoall;
  std::uint32_t communicator = 0;  ///< index in Job::communicators
};

/// The selection in which the application spends the most time, among those of `kind` if it is given. Empty if the
/// trace has no such call.
[[nodiscard]] std::optional<Selection> longest_selection(const Job& job, std::optional<Kind> kind = std::nullopt);

/// The mean delays over the selected calls, with the name "application". Calls that were not recorded by all processes
/// are left out. As in every pattern the smallest delay is 0: of the process that is first in the mean. Throws
/// UsageError if no call is left.
[[nodiscard]] collective::ArrivalPattern mean_pattern(const Job& job, const Selection& selection);

/// One pattern per call site, named "site 0", "site 1" and so on in the order of first use.
[[nodiscard]] std::vector<collective::ArrivalPattern> site_patterns(const Job& job, const Selection& selection);

/// One pattern per call; "call 12" has sequence number 12 on the communicator.
[[nodiscard]] std::vector<collective::ArrivalPattern> call_patterns(const Job& job, const Selection& selection);

}  // namespace laxity::trace
