// Whether a program is faster with rules than with the library's own choice, from run times in rounds.
//
// Threads: pure functions. Elsewhere: running the program (tune/run.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "laxity/bootstrap.hpp"

namespace laxity::cli {

enum class Verdict {
  better,          ///< the interval of the ratio is below 1
  same,            ///< the interval includes 1 and is within 5 % of it
  worse,           ///< the interval is above 1
  cannot_be_told,  ///< the interval is wider than that, or there are too few rounds for one
};

/// "better", "same", "worse", "cannot be told"
[[nodiscard]] std::string_view name_of(Verdict verdict) noexcept;

/// The verdict of the interval of a ratio of run times over some rounds.
[[nodiscard]] Verdict verdict_of(const BootstrapInterval& ratio, std::size_t rounds) noexcept;

/// The median of some run times with its 95 % interval.
[[nodiscard]] BootstrapInterval median_time(const std::vector<double>& seconds, std::uint64_t seed);

/// The ratio of the medians of two treatments that ran in the same rounds, with its 95 % interval. Rounds are resampled as a
/// whole, because disturbances of the machine affect all runs of a round.
[[nodiscard]] BootstrapInterval ratio_of_times(const std::vector<double>& seconds, const std::vector<double>& reference,
                                               std::uint64_t seed);

}  // namespace laxity::cli
