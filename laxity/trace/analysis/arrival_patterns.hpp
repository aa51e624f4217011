// Arrival patterns of a traced application: how late each process comes to its collectives.
//
// Source: Salimi Beni, Cosenza and Hunold, section V-A: delays count from the first arrival of each call; their mean over
// the calls is the application's pattern. Process i of a pattern is the i-th of the communicator's traced processes in the
// order of MPI_COMM_WORLD. Threads: pure functions. Elsewhere: the files (laxity/collective/patterns/pattern_file.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "laxity/collective/patterns/pattern_file.hpp"
#include "laxity/trace/analysis/job.hpp"

namespace laxity::trace {

/// Which calls: of one collective on one communicator.
struct Selection {
  Kind kind = Kind::alltoall;
  std::uint32_t communicator = 0;  ///< index in Job::communicators
};

/// Those that the application spends most of its time in, of `kind` if it is given. Nothing if there is no such call.
[[nodiscard]] std::optional<Selection> heaviest(const Job& job, std::optional<Kind> kind = std::nullopt);

/// Mean delays over the selected calls, called "application". Calls that not all of the processes recorded are left out.
/// The smallest delay is in general above 0: nobody is always the first. Throws UsageError if no call is left.
[[nodiscard]] collective::ArrivalPattern mean_pattern(const Job& job, const Selection& selection);

/// A pattern for each call site, "site 0" and so on, in the order of first use. Sites are told apart by object and offset.
[[nodiscard]] std::vector<collective::ArrivalPattern> site_patterns(const Job& job, const Selection& selection);

/// A pattern for each call, "call 12" being number 12 on the communicator.
[[nodiscard]] std::vector<collective::ArrivalPattern> call_patterns(const Job& job, const Selection& selection);

}  // namespace laxity::trace
