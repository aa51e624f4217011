// Selections with known choices, for tests of what writes rules.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "laxity/collective/selection/selection.hpp"

namespace laxity::collective {

/// An algorithm and how long it surely takes, as ratios to the library's own choice.
struct Known {
  int id;
  std::string name;
  double robust;
  std::optional<double> no_delay = std::nullopt;
};

inline Cost sure_cost(double ratio) {
  return {.value = ratio, .ratio = {.middle = ratio, .low = ratio * 0.99, .high = ratio * 1.01}};
}

/// A size that was measured under one condition, with the library's own choice beside the algorithms.
inline Selection selection_of(Collective collective, int processes, std::size_t bytes, std::vector<Known> algorithms) {
  Selection made;
  made.collective = collective;
  made.processes = processes;
  made.bytes = bytes;
  made.conditions = made.shared = 1;
  algorithms.push_back({.id = 0, .name = "library", .robust = 1, .no_delay = 1});
  for (const Known& known : algorithms) {
    Candidate& candidate = made.candidates.emplace_back();
    candidate.algorithm = {known.id, known.name};
    candidate.repetitions = 30;
    candidate.costs[static_cast<std::size_t>(ChoiceKind::robust)] = sure_cost(known.robust);
    if (known.no_delay) {
      candidate.costs[static_cast<std::size_t>(ChoiceKind::no_delay)] = sure_cost(*known.no_delay);
    }
  }
  std::stable_sort(made.candidates.begin(), made.candidates.end(), [](const auto& a, const auto& b) {
    return a.cost(ChoiceKind::robust)->value < b.cost(ChoiceKind::robust)->value;
  });
  return made;
}

}  // namespace laxity::collective
