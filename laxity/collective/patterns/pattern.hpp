// Arrival patterns: how late each process enters a collective operation.
//
// Source: Salimi Beni, Cosenza and Hunold, MPI collective algorithm selection in the presence of process arrival
// patterns, III-B. The paper names five patterns and draws eight; bell, half step and v-shape are our reading of the
// other three.
// Invariants: for two or more processes the smallest delay is exactly 0 and the largest is exactly the maximum skew.
// Threads: pure functions.
// Elsewhere: patterns in files (pattern_file.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace laxity::collective {

/// The delay of process i of p, with x = i / (p - 1) and the maximum skew s.
enum class Pattern {
  no_delay,       ///< 0, the reference
  ascending,      ///< s x
  descending,     ///< s (1 - x)
  first_delayed,  ///< s for i = 0, else 0
  last_delayed,   ///< s for i = p - 1, else 0
  random,         ///< uniform from a seed, rescaled to [0, s]
  bell,           ///< exp(-((x - 1/2) / 0.15)^2 / 2), rescaled to [0, s]
  half_step,      ///< s for i >= p / 2, else 0
  v_shape,        ///< |2 x - 1|, rescaled to [0, s]
};

/// The eight patterns with delays, in the order of tables and plots.
inline constexpr std::array<Pattern, 8> delaying_patterns{
    Pattern::ascending, Pattern::descending, Pattern::first_delayed, Pattern::last_delayed,
    Pattern::random,    Pattern::bell,       Pattern::half_step,     Pattern::v_shape};

[[nodiscard]] std::string_view name_of(Pattern pattern) noexcept;

/// The pattern of a name, no_delay included. Throws UsageError that lists the names.
[[nodiscard]] Pattern pattern_named(std::string_view name);

/// The delays of all processes, in seconds. Where all delays of a shape are equal (bell and v_shape of two processes),
/// the pattern is last_delayed; a single process has no delay. The seed is used by `random` only. Throws UsageError
/// unless processes >= 1 and the skew is finite and not negative.
[[nodiscard]] std::vector<double> arrival_delays(Pattern pattern, int processes, double max_skew_s,
                                                 std::uint64_t seed = 1);

}  // namespace laxity::collective
