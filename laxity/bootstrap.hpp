// Percentile bootstrap intervals, defined once for the library and the command line.
//
// Source: Efron and Tibshirani, An introduction to the bootstrap (1993), 13.3. Threads: pure functions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "laxity/check.hpp"
#include "laxity/random.hpp"

namespace laxity {

/// A statistic of a sample, and the bounds of its interval.
struct BootstrapInterval {
  double middle = 0, low = 0, high = 0;
};

/// The fewest values whose median has a 95 % interval: all of n values lie on one side of the median with probability
/// 2^(1-n).
inline constexpr std::size_t min_values_for_interval = 6;

/// The bounds that exclude a fraction `error` of the values, half of it on each side. There must be a value.
[[nodiscard]] inline BootstrapInterval percentile_interval(double middle, std::vector<double> values,
                                                           double error = 0.05) {
  LAXITY_CHECK(!values.empty());
  std::ranges::sort(values);
  const auto outside = static_cast<std::size_t>(static_cast<double>(values.size()) * error / 2);
  return {middle, values[outside], values[values.size() - 1 - outside]};
}

/// Calls `visit` with the indices of each of `resamples` samples of `rounds` rounds, drawn with replacement. A round is
/// drawn as a whole, because disturbances of the machine affect all that is measured in it.
template <class Visit>
void resample_rounds(std::size_t rounds, std::size_t resamples, std::uint64_t seed, Visit visit) {
  SeededRandom random(seed);
  std::vector<std::size_t> drawn(rounds);
  for (std::size_t resample = 0; resample < resamples; ++resample) {
    for (std::size_t& round : drawn) round = random.below(static_cast<std::uint32_t>(rounds));
    visit(drawn);
  }
}

/// The 95 % interval of a statistic of rounds, which is given the indices of the rounds.
template <class Statistic>
[[nodiscard]] BootstrapInterval bootstrap(std::size_t rounds, std::uint64_t seed, Statistic statistic) {
  constexpr std::size_t resamples = 2000;
  std::vector<std::size_t> all(rounds);
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<double> values;
  values.reserve(resamples);
  resample_rounds(rounds, resamples, seed, [&](const auto& drawn) { values.push_back(statistic(drawn)); });
  return percentile_interval(statistic(all), std::move(values));
}

}  // namespace laxity
