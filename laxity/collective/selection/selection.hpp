// Which algorithm suffers least from late processes: the choice for each collective, number of processes and size.
//
// Source: Salimi Beni, Cosenza and Hunold, V: under every pattern the last delays of the algorithms are divided by the
// smallest; the robust choice has the smallest mean of these over the patterns. Beside it stand the algorithm that is
// fastest when all processes arrive together, which is what benchmarks usually choose, and the one that is fastest for a
// traced application: under its mean pattern, if that was measured, or under the measured patterns that its calls are like.
// Invariants: no candidate has a smaller mean normalized last delay than the robust choice.
// Threads: pure functions.
// Elsewhere: the table (arrival_table.hpp); what the calls of a trace are like (trace/conditions.hpp); files that make a
// library follow the choice (openmpi_rules.hpp, environment_rules.hpp).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "laxity/collective/selection/arrival_table.hpp"

namespace laxity::collective {

/// A pattern and its skew in us: a row of the paper's figure 8.
using Condition = std::pair<std::string, double>;

/// The calls of a traced application that are nearest to one measured size, by the measured condition they are most like.
struct ApplicationCalls {
  Collective collective = Collective::reduce;
  int processes = 0;
  std::size_t bytes = 0;                  ///< as measured
  std::map<Condition, std::size_t> like;  ///< how many calls; not empty
  double median_skew_us = 0;

  [[nodiscard]] std::size_t calls() const noexcept;
  [[nodiscard]] const Condition& most_frequent() const noexcept;
  /// Whether its processes come so much further apart than was measured that the choice may be another at their skew.
  [[nodiscard]] bool is_beyond_measured() const noexcept;
};

/// An algorithm that was measured under every pattern.
struct Candidate {
  Algorithm algorithm;
  double mean = 0;            ///< of the normalized last delays over the patterns, the traced one left out; at least 1
  double worst = 0;           ///< the largest of them
  std::string worst_pattern;  ///< where it is
  std::optional<double> no_delay_us;  ///< last delay when all arrive together
  std::optional<double> traced_us;    ///< last delay under the traced pattern, or the mean over the application's calls
};

/// The choice for messages of one size.
struct Selection {
  Collective collective = Collective::reduce;
  int processes = 0;
  std::size_t bytes = 0;
  std::size_t patterns = 0;                     ///< over which the means were taken
  std::vector<Candidate> candidates;            ///< the robust choice first, then by mean
  std::vector<std::string> left_out;            ///< algorithms that were not measured under all patterns
  std::optional<std::size_t> no_delay;          ///< which of the candidates is fastest without delay
  std::optional<std::size_t> traced;            ///< which is fastest for the traced application
  std::optional<ApplicationCalls> application;  ///< its calls of this size, if they decide that

  [[nodiscard]] const Candidate& robust() const noexcept { return candidates.front(); }
  /// What was chosen and why, in a sentence or two.
  [[nodiscard]] std::string reason() const;
};

/// The choices that can be made, and for each other size a sentence that says why it has none.
struct Selections {
  std::vector<Selection> made;
  std::vector<std::string> undecided;
};

/// The choices, ordered by collective, processes and bytes. `traced_pattern` names the pattern of an application, if it
/// was measured; it is no part of the means. `application` says what its calls are like, and goes before that pattern;
/// sizes that it does not name have no traced choice then. Measurements of one pattern at several skews count as several
/// patterns. Throws UsageError if they are of several libraries. A size at which no algorithm was measured under all patterns
/// is undecided.
[[nodiscard]] Selections select_where_measured(const std::vector<Measurement>& measurements,
                                               const std::string& traced_pattern = {},
                                               const std::vector<ApplicationCalls>& application = {});

/// The same for measurements that decide everything; throws UsageError if they do not.
[[nodiscard]] std::vector<Selection> select_algorithms(const std::vector<Measurement>& measurements,
                                                       const std::string& traced_pattern = {},
                                                       const std::vector<ApplicationCalls>& application = {});

}  // namespace laxity::collective
