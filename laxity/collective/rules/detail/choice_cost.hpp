// Which candidate a choice of some kind prefers, as all writers of rules and settings use it.
//
// Threads: pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "laxity/collective/collective.hpp"
#include "laxity/collective/rules/openmpi_rules.hpp"
#include "laxity/collective/selection/selection.hpp"

namespace laxity::collective::detail {

/// The value that a choice of this kind minimizes. Throws UsageError if it was not measured.
[[nodiscard]] double cost(const Selection& selection, const Candidate& candidate, ChoiceKind kind);

/// The candidate of smallest cost among those whose algorithm name `is_available` accepts; null if there is none. Throws
/// UsageError as cost().
template <class IsAvailable>
[[nodiscard]] const Candidate* best_candidate(const Selection& selection, ChoiceKind kind, IsAvailable is_available) {
  const Candidate* best = nullptr;
  double smallest = 0;
  for (const Candidate& candidate : selection.candidates) {
    const double value = cost(selection, candidate, kind);
    if (!is_available(std::string_view(candidate.algorithm.name)) || (best != nullptr && value >= smallest)) continue;
    best = &candidate;
    smallest = value;
  }
  return best;
}

/// The selections of each collective, in their order.
[[nodiscard]] std::map<Collective, std::vector<const Selection*>> by_collective(
    const std::vector<Selection>& selections);

/// The algorithm with the smallest sum of relative costs over all sizes, among those that are candidates at every size;
/// empty if there is none. A relative cost is divided by the smallest cost of its size.
[[nodiscard]] std::string best_over_all_sizes(const std::vector<const Selection*>& sizes, ChoiceKind kind);

}  // namespace laxity::collective::detail
