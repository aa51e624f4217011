#include "laxity/collective/rules/detail/choice_cost.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "laxity/error.hpp"

namespace laxity::collective::detail {

double cost(const Selection& selection, const Candidate& candidate, ChoiceKind kind) {
  if (kind == ChoiceKind::robust) return candidate.mean;
  const auto delay_us = kind == ChoiceKind::no_delay ? candidate.no_delay_us : candidate.traced_us;
  if (!delay_us) {
    throw UsageError(std::string(name_of(selection.collective)) + ", " + std::to_string(selection.bytes) +
                     " bytes: was not measured " +
                     (kind == ChoiceKind::no_delay ? "without delay" : "under the traced pattern"));
  }
  return *delay_us;
}

std::map<Collective, std::vector<const Selection*>> by_collective(const std::vector<Selection>& selections) {
  std::map<Collective, std::vector<const Selection*>> sorted;
  for (const Selection& selection : selections) sorted[selection.collective].push_back(&selection);
  return sorted;
}

std::string best_over_all_sizes(const std::vector<const Selection*>& sizes, ChoiceKind kind) {
  std::map<std::string, std::pair<std::size_t, double>> sums;  // number of sizes, and sum of relative costs
  for (const Selection* const selection : sizes) {
    const Candidate& best = *best_candidate(*selection, kind, [](std::string_view) { return true; });
    const double smallest = cost(*selection, best, kind);
    for (const Candidate& candidate : selection->candidates) {
      auto& [count, sum] = sums[candidate.algorithm.name];
      ++count;
      sum += smallest > 0 ? cost(*selection, candidate, kind) / smallest : 1;
    }
  }
  std::string name;
  double smallest = 0;
  for (const auto& [candidate, total] : sums) {
    if (total.first != sizes.size() || (!name.empty() && total.second >= smallest)) continue;
    name = candidate;
    smallest = total.second;
  }
  return name;
}

}  // namespace laxity::collective::detail
