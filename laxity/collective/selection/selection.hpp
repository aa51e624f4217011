// Chooses the algorithm with the smallest delay under imbalanced arrival, for each collective, process count and size.
//
// Source: Salimi Beni, Cosenza and Hunold, V: under every pattern, the last delay of each algorithm is normalized by the
// smallest one; the robust choice has the smallest mean normalized last delay over all patterns. Two other choices are the
// algorithm that is fastest without delays, which benchmarks usually choose, and the algorithm that is fastest for a traced
// application: under its mean pattern, if that was measured, or under the measured patterns nearest to its calls.
// Invariants: no candidate has a smaller mean normalized last delay than the robust choice.
// Threads: pure functions.
// Elsewhere: measurements (arrival_table.hpp), the conditions of traced calls (laxity/trace/analysis/conditions.hpp), rules
// files (laxity/collective/rules/).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "laxity/collective/collective.hpp"
#include "laxity/collective/selection/arrival_table.hpp"

namespace laxity::collective {

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

/// An algorithm that was measured under every condition.
struct Candidate {
  Algorithm algorithm;
  double mean = 0;   ///< normalized last delay, the mean over all patterns but the traced one; at least 1
  double worst = 0;  ///< the largest normalized last delay
  std::string worst_pattern;
  std::optional<double> no_delay_us;  ///< last delay without delays
  std::optional<double> traced_us;    ///< last delay under the traced pattern, or the mean over the application's calls
};

/// The choices for one message size.
struct Selection {
  Collective collective = Collective::reduce;
  int processes = 0;
  std::size_t bytes = 0;
  std::size_t patterns = 0;                     ///< number of conditions in the means
  std::vector<Candidate> candidates;            ///< in the order of their means: the robust choice first
  std::vector<std::string> left_out;            ///< algorithms that were not measured under all conditions
  std::optional<std::size_t> no_delay;          ///< index of the candidate that is fastest without delays
  std::optional<std::size_t> traced;            ///< index of the candidate that is fastest for the traced application
  std::optional<ApplicationCalls> application;  ///< the application's calls of this size, if they decide `traced`

  [[nodiscard]] const Candidate& robust() const noexcept { return candidates.front(); }
  /// The choices and their reasons in a few sentences.
  [[nodiscard]] std::string reason() const;
};

/// The sizes for which a choice was made, and one sentence for each size for which none could be made.
struct Selections {
  std::vector<Selection> made;
  std::vector<std::string> undecided;
};

/// The choices, ordered by collective, processes and bytes. `traced_pattern` is the name of the application's pattern, which
/// is no part of the means. `application`, if not empty, decides the traced choices instead of that pattern; sizes without
/// calls have no traced choice. One pattern at two skews counts as two conditions. A size at which no algorithm was measured
/// under all conditions is undecided. Throws UsageError if the measurements are of several libraries.
[[nodiscard]] Selections select_algorithms(const std::vector<Measurement>& measurements,
                                           const std::string& traced_pattern = {},
                                           const std::vector<ApplicationCalls>& application = {});

}  // namespace laxity::collective
