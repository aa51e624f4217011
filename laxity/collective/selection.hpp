// Which algorithm suffers least from late processes: the choice for each collective, number of processes and size.
//
// Source: Salimi Beni, Cosenza and Hunold, V: under every pattern the last delays of the algorithms are divided by the
// smallest; the robust choice has the smallest mean of these over the patterns. Beside it stand the algorithm that is
// fastest when all processes arrive together, which is what benchmarks usually choose, and the one that is fastest under
// the pattern of a traced application.
// Invariants: no candidate has a smaller mean normalised last delay than the robust choice.
// Threads: pure functions.
// Elsewhere: the table (arrival_table.hpp); files that make a library follow the choice (rules.hpp).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "laxity/collective/arrival_table.hpp"

namespace laxity::collective {

/// An algorithm that was measured under every pattern.
struct Candidate {
  Algorithm algorithm;
  double mean = 0;            ///< of the normalised last delays over the patterns, the traced one left out; at least 1
  double worst = 0;           ///< the largest of them
  std::string worst_pattern;  ///< where it is
  std::optional<double> no_delay_us;  ///< last delay when all arrive together
  std::optional<double> traced_us;    ///< last delay under the traced pattern
};

/// The choice for messages of one size.
struct Selection {
  Collective collective = Collective::reduce;
  int processes = 0;
  std::size_t bytes = 0;
  std::size_t patterns = 0;             ///< over which the means were taken
  std::vector<Candidate> candidates;    ///< the robust choice first, then by mean
  std::vector<std::string> left_out;    ///< algorithms that were not measured under all patterns
  std::optional<std::size_t> no_delay;  ///< which of the candidates is fastest without delay
  std::optional<std::size_t> traced;    ///< which is fastest under the traced pattern

  [[nodiscard]] const Candidate& robust() const noexcept { return candidates.front(); }
  /// What was chosen and why, in a sentence or two.
  [[nodiscard]] std::string reason() const;
};

/// The choices, ordered by collective, processes and bytes. `traced_pattern` names the pattern of an application, if it
/// was measured. Measurements of one pattern at several skews count as several patterns. Throws UsageError if they are of
/// several libraries, or if for some size no algorithm was measured under all patterns.
[[nodiscard]] std::vector<Selection> select_algorithms(const std::vector<Measurement>& measurements,
                                                       const std::string& traced_pattern = {});

}  // namespace laxity::collective
