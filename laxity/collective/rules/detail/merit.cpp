#include "laxity/collective/rules/detail/merit.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "laxity/error.hpp"

namespace laxity::collective::detail {

double merit(const Selection& selection, const Candidate& candidate, ChoiceKind kind) {
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

std::string best_of_all_sizes(const std::vector<const Selection*>& sizes, ChoiceKind kind) {
  std::map<std::string, std::pair<std::size_t, double>> sums;  // how many sizes, and the sum
  for (const Selection* const selection : sizes) {
    double best = merit(*selection, selection->candidates.front(), kind);
    for (const Candidate& candidate : selection->candidates) best = std::min(best, merit(*selection, candidate, kind));
    for (const Candidate& candidate : selection->candidates) {
      auto& [count, sum] = sums[candidate.algorithm.name];
      ++count;
      sum += best > 0 ? merit(*selection, candidate, kind) / best : 1;
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
