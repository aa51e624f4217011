#include "laxity/collective/selection/selection.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "laxity/check.hpp"
#include "laxity/collective/patterns/pattern.hpp"
#include "laxity/collective/selection/detail/cost_table.hpp"
#include "laxity/error.hpp"

namespace laxity::collective {
namespace {

constexpr double worthwhile = 0.95;  // ratio to the library's own choice above which that is kept

using Cells = std::map<Condition, const Measurement*>;  // of one algorithm
using Size = std::tuple<Collective, int, std::size_t>;

// The measurements of one size.
struct MeasuredSize {
  std::map<int, Cells> algorithms;  // by id, without the traced pattern
  std::map<int, const Measurement*> traced;
  std::set<Condition> conditions;
};

std::string of_conditions(std::size_t count, std::size_t of) {
  return std::to_string(count) + " of " + std::to_string(of) + (of == 1 ? " condition" : " conditions");
}

bool is_at_least_half(std::size_t part, std::size_t whole) { return 2 * part >= whole; }

std::set<Condition> measured_conditions(const Cells& cells) {
  std::set<Condition> conditions;
  for (const auto& [condition, cell] : cells) {
    if (cell->is_measured()) conditions.insert(condition);
  }
  return conditions;
}

// The ids of the candidates, that of the library's own choice first, and the conditions that all of them share.
struct Comparable {
  std::vector<int> ids;
  std::set<Condition> shared;
};

// Sets selection.undecided if the candidates cannot be compared.
Comparable comparable_algorithms(const MeasuredSize& measured, Selection& selection) {
  Comparable found{.ids = {}, .shared = measured.conditions};
  for (const auto& [id, cells] : measured.algorithms) {
    const std::set<Condition> own = measured_conditions(cells);
    if (!is_at_least_half(own.size(), measured.conditions.size())) {
      selection.left_out.push_back(cells.begin()->second->algorithm.name);
      if (id == 0) {
        selection.undecided = "it was measured often enough under " + of_conditions(own.size(), selection.conditions);
      }
      continue;
    }
    found.ids.push_back(id);
    std::erase_if(found.shared, [&](const Condition& condition) { return !own.contains(condition); });
  }
  if (!measured.algorithms.contains(0)) {
    selection.undecided = "it was not measured";
  } else if (selection.undecided.empty() && found.ids.size() < 2) {
    selection.undecided = "no other algorithm was measured often enough";
  } else if (selection.undecided.empty() && !is_at_least_half(found.shared.size(), measured.conditions.size())) {
    selection.undecided =
        "all algorithms were measured often enough under " + of_conditions(found.shared.size(), selection.conditions);
  }
  return found;
}

// The weights of the columns in the application's calls; empty if fewer than half of the calls are under a shared
// condition.
std::vector<double> weights_of(const ApplicationCalls& application, const std::set<Condition>& shared) {
  std::vector<double> weights;
  double covered = 0;
  for (const Condition& condition : shared) {
    const auto calls = application.calls_by_condition.find(condition);
    weights.push_back(calls == application.calls_by_condition.end() ? 0 : static_cast<double>(calls->second));
    covered += weights.back();
  }
  if (2 * covered < static_cast<double>(application.calls())) return {};
  for (double& weight : weights) weight /= covered;
  return weights;
}

bool is_traced_pattern_measured(const MeasuredSize& measured, const std::vector<int>& ids) {
  return std::all_of(ids.begin(), ids.end(), [&](int id) {
    const auto cell = measured.traced.find(id);
    return cell != measured.traced.end() && cell->second->is_measured();
  });
}

detail::CostTable table_of(const MeasuredSize& measured, const Comparable& comparable, const Selection& selection,
                           bool has_application) {
  const auto& [ids, shared] = comparable;
  detail::CostTable table;
  table.shared = shared.size();
  for (const int id : ids) {
    auto& row = table.cells.emplace_back();
    for (const Condition& condition : shared) row.push_back(measured.algorithms.at(id).at(condition));
  }
  const auto no_delay = std::find_if(shared.begin(), shared.end(),
                                     [](const auto& each) { return each.first == name_of(Pattern::no_delay); });
  if (no_delay != shared.end()) table.no_delay = static_cast<std::size_t>(std::distance(shared.begin(), no_delay));
  if (selection.application) {
    table.traced = weights_of(*selection.application, shared);
  } else if (!has_application && is_traced_pattern_measured(measured, ids)) {
    for (std::size_t at = 0; at < ids.size(); ++at) table.cells[at].push_back(measured.traced.at(ids[at]));
    table.traced.assign(shared.size(), 0);
    table.traced.push_back(1);
  }
  return table;
}

void add_candidates(Selection& selection, const detail::CostTable& table) {
  const auto rows = table.rows();
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const auto& cells = table.cells[at];
    Candidate& candidate = selection.candidates.emplace_back();
    candidate.algorithm = cells.front()->algorithm;
    candidate.repetitions = cells.front()->delays.size();
    for (std::size_t column = 0; column < table.shared; ++column) {
      candidate.repetitions = std::min(candidate.repetitions, cells[column]->delays.size());
    }
    candidate.worst = rows[at].worst;
    candidate.worst_pattern = cells[rows[at].worst_column]->pattern;
    candidate.costs = rows[at].costs;
  }
  std::stable_sort(selection.candidates.begin(), selection.candidates.end(),
                   [](const Candidate& a, const Candidate& b) {
                     return a.cost(ChoiceKind::robust)->value < b.cost(ChoiceKind::robust)->value;
                   });
}

}  // namespace

bool Cost::is_faster() const noexcept { return ratio.middle < worthwhile && ratio.high < 1; }

const Candidate& Selection::library() const noexcept {
  const auto found =
      std::find_if(candidates.begin(), candidates.end(), [](const auto& each) { return each.algorithm.id == 0; });
  LAXITY_CHECK(found != candidates.end());
  return *found;
}

std::size_t ApplicationCalls::calls() const noexcept {
  return std::accumulate(calls_by_condition.begin(), calls_by_condition.end(), std::size_t{0},
                         [](std::size_t sum, const auto& entry) { return sum + entry.second; });
}

bool ApplicationCalls::exceeds_measured_skew() const noexcept {
  constexpr double far = 4;
  double largest_us = 0;
  for (const auto& [condition, calls] : calls_by_condition) largest_us = std::max(largest_us, condition.second);
  return largest_us > 0 && median_skew_us > far * largest_us;
}

const Condition& ApplicationCalls::dominant_condition() const noexcept {
  return std::max_element(calls_by_condition.begin(), calls_by_condition.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

std::vector<Selection> select_algorithms(const std::vector<Measurement>& measurements,
                                         const std::string& traced_pattern,
                                         const std::vector<ApplicationCalls>& application) {
  std::map<Size, MeasuredSize> sizes;
  std::map<Size, Selection> selections;
  for (const Measurement& cell : measurements) {
    if (cell.library != measurements.front().library) {
      throw UsageError("measurements of " + measurements.front().library + " and of " + cell.library +
                       ": a choice holds for one library");
    }
    const Size size{cell.collective, cell.processes, cell.bytes};
    Selection& selection = selections[size];
    selection.run = cell.run;
    std::tie(selection.collective, selection.processes, selection.bytes) = size;
    selection.oversubscribed = cell.oversubscribed;
    MeasuredSize& measured = sizes[size];
    if (!traced_pattern.empty() && cell.pattern == traced_pattern) {
      measured.traced[cell.algorithm.id] = &cell;
      continue;
    }
    measured.conditions.insert({cell.pattern, cell.skew_us});
    measured.algorithms[cell.algorithm.id][{cell.pattern, cell.skew_us}] = &cell;
  }
  std::vector<Selection> result;
  for (auto& [size, selection] : selections) {
    const MeasuredSize& measured = sizes.at(size);
    selection.conditions = measured.conditions.size();
    for (const ApplicationCalls& calls : application) {
      if (Size{calls.collective, calls.processes, calls.bytes} == size) selection.application = calls;
    }
    const Comparable comparable = comparable_algorithms(measured, selection);
    if (selection.undecided.empty()) {
      selection.shared = comparable.shared.size();
      add_candidates(selection, table_of(measured, comparable, selection, !application.empty()));
    }
    result.push_back(std::move(selection));
  }
  return result;
}

bool has_choice(const std::vector<Selection>& selections, ChoiceKind kind) noexcept {
  return std::any_of(selections.begin(), selections.end(), [kind](const Selection& each) {
    return !each.candidates.empty() && each.library().cost(kind).has_value();
  });
}

}  // namespace laxity::collective
