// Chooses the algorithm with the smallest delay under imbalanced arrival, for each collective, process count and size.
//
// Source: Salimi Beni, Cosenza and Hunold, V: under every pattern, the last delay of each algorithm is normalized by
// the smallest one; the robust choice has the smallest mean normalized last delay over all patterns. Two other choices
// are the algorithm that is fastest without delays, which benchmarks usually choose, and the algorithm that is fastest
// for a traced application: under its mean pattern, if that was measured, or under the measured patterns nearest to its
// calls.
//
// What is ours: the library's own choice is a candidate, and is kept unless another algorithm is faster by more than 5
// % and by more than chance. Candidates are compared only under the conditions that all of them share, so that a
// missing cell has the same effect as a condition that was measured for no algorithm, and none is chosen because
// another one was not measured (docs/decisions/0021-advice-that-does-no-harm.md). Intervals are bootstrapped over turns
// of the benchmark. They hold with 95 % for all algorithms of a size together (Bonferroni).
// Invariants: a choice other than the library's own has a ratio whose interval lies below 1, and which is below 0.95.
// Threads: pure functions.
// Elsewhere: measurements (arrival_table.hpp), the conditions of traced calls (laxity/trace/analysis/conditions.hpp),
// rules files (laxity/collective/rules/).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "laxity/bootstrap.hpp"
#include "laxity/collective/collective.hpp"
#include "laxity/collective/selection/arrival_table.hpp"

namespace laxity::collective {

/// The criterion of a choice: the smallest mean normalized last delay over all patterns, the smallest last delay
/// without delays, or the smallest last delay in the traced application.
enum class ChoiceKind { robust, no_delay, traced };
inline constexpr std::array<ChoiceKind, 3> all_choice_kinds{ChoiceKind::robust, ChoiceKind::no_delay,
                                                            ChoiceKind::traced};

/// A pattern and its skew in us, a row of the paper's figure 8.
using Condition = std::pair<std::string, double>;

/// The calls of a traced application that are nearest to one measured size.
struct ApplicationCalls {
  Collective collective = Collective::reduce;
  int processes = 0;
  std::size_t bytes = 0;                                ///< as measured
  std::map<Condition, std::size_t> calls_by_condition;  ///< number of calls by nearest measured condition; not empty
  double median_skew_us = 0;

  [[nodiscard]] std::size_t calls() const noexcept;
  [[nodiscard]] const Condition& dominant_condition() const noexcept;
  /// Whether the median skew is so much larger than every measured skew that the choice may not apply.
  [[nodiscard]] bool exceeds_measured_skew() const noexcept;
};

/// By one criterion: what an algorithm costs, and how that compares with the library's own choice.
struct Cost {
  double value = 0;         ///< mean normalized last delay, or last delay in us
  BootstrapInterval ratio;  ///< value ÷ value of the library's own choice

  /// Whether the algorithm is faster than the library's own choice by more than 5 % and by more than chance.
  [[nodiscard]] bool is_faster() const noexcept;
};

/// An algorithm that was measured under every shared condition; id 0 is the library's own choice.
struct Candidate {
  Algorithm algorithm;
  std::size_t repetitions = 0;  ///< the smallest number of valid repetitions under a shared condition
  double worst = 0;             ///< the largest normalized last delay
  std::string worst_pattern;
  std::array<std::optional<Cost>, all_choice_kinds.size()> costs;  ///< by criterion; empty if it was not measured

  [[nodiscard]] const std::optional<Cost>& cost(ChoiceKind kind) const noexcept {
    return costs[static_cast<std::size_t>(kind)];
  }
};

/// The choices for one message size.
struct Selection {
  std::int64_t run = 0;  ///< in the table of the measurements
  Collective collective = Collective::reduce;
  int processes = 0;
  std::size_t bytes = 0;
  bool oversubscribed = false;        ///< whether some host had fewer processors than processes
  std::size_t conditions = 0;         ///< number of conditions that were tried, without the traced pattern
  std::size_t shared = 0;             ///< number of conditions under which all candidates were measured
  std::vector<Candidate> candidates;  ///< in the order of their means; empty if the size is undecided
  std::vector<std::string> left_out;  ///< algorithms that were measured under less than half of the conditions
  std::string undecided;              ///< why no algorithm can be compared with the library's own choice
  std::optional<ApplicationCalls>
      application;  ///< the application's calls of this size, if they decide the traced choice

  /// The library's own choice, if there are candidates.
  [[nodiscard]] const Candidate& library() const noexcept;

  /// The candidate of smallest cost that is faster than the library's own choice and whose name `is_available` accepts.
  /// Null if there is none: the library's own choice is kept.
  template <class IsAvailable>
  [[nodiscard]] const Candidate* chosen(ChoiceKind kind, IsAvailable is_available) const {
    const Candidate* best = nullptr;
    for (const Candidate& candidate : candidates) {
      const auto& cost = candidate.cost(kind);
      if (!cost || !cost->is_faster() || !is_available(candidate.algorithm.name)) continue;
      if (best == nullptr || cost->value < best->cost(kind)->value) best = &candidate;
    }
    return best;
  }
  [[nodiscard]] const Candidate* chosen(ChoiceKind kind) const {
    return chosen(kind, [](const std::string&) { return true; });
  }

  /// "reduce, 8 processes, 64 bytes"
  [[nodiscard]] std::string name() const;
  /// How sure the choice of one kind is, in a sentence: the ratio to the library's own choice with its interval, and
  /// how often each cell was measured; or why the library's own choice is kept.
  [[nodiscard]] std::string evidence(ChoiceKind kind) const;
  /// The choices of all kinds with their evidence.
  [[nodiscard]] std::string reason() const;
};

/// The choices for all measured sizes, ordered by collective, processes and bytes. `traced_pattern` is the name of the
/// application's pattern, which is no part of the means. `application`, if not empty, decides the traced choices
/// instead of that pattern; sizes without calls have no traced choice. One pattern at two skews counts as two
/// conditions. Throws UsageError if the measurements are of several libraries.
[[nodiscard]] std::vector<Selection> select_algorithms(const std::vector<Measurement>& measurements,
                                                       const std::string& traced_pattern = {},
                                                       const std::vector<ApplicationCalls>& application = {});

/// Whether a choice of this kind could be made for some size: whether its criterion was measured.
[[nodiscard]] bool has_choice(const std::vector<Selection>& selections, ChoiceKind kind) noexcept;

}  // namespace laxity::collective
