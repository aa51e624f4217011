// What decides between algorithms when choices are written down for a library: shared by all that is no rules file of
// Open MPI.
//
// Threads: pure functions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "laxity/collective/rules/openmpi_rules.hpp"

namespace laxity::collective::detail {

/// What decides a choice of this kind: the smaller, the better. Throws UsageError if it was not measured.
[[nodiscard]] double merit(const Selection& selection, const Candidate& candidate, ChoiceKind kind);

/// The choices of each collective, in their order.
[[nodiscard]] std::map<Collective, std::vector<const Selection*>> by_collective(
    const std::vector<Selection>& selections);

/// The name of the algorithm with the smallest sum of merits relative to the best of each size, among those that are
/// candidates at every size; empty if there is none.
[[nodiscard]] std::string best_of_all_sizes(const std::vector<const Selection*>& sizes, ChoiceKind kind);

}  // namespace laxity::collective::detail
