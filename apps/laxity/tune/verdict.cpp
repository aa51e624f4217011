#include "apps/laxity/tune/verdict.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "laxity/median.hpp"

namespace laxity::cli {
namespace {

constexpr double same_within = 0.05;

double median_of(const std::vector<double>& seconds, const std::vector<std::size_t>& rounds) {
  std::vector<double> values;
  for (const std::size_t round : rounds) values.push_back(seconds[round]);
  return median(std::move(values));
}

}  // namespace

std::string_view name_of(Verdict verdict) noexcept {
  constexpr std::array<std::string_view, 4> names{"better", "same", "worse", "cannot be told"};
  return names[static_cast<std::size_t>(verdict)];
}

Verdict verdict_of(const BootstrapInterval& ratio, std::size_t rounds) noexcept {
  if (rounds < min_values_for_interval) return Verdict::cannot_be_told;
  if (ratio.high < 1) return Verdict::better;
  if (ratio.low > 1) return Verdict::worse;
  return ratio.low >= 1 - same_within && ratio.high <= 1 + same_within ? Verdict::same : Verdict::cannot_be_told;
}

BootstrapInterval median_time(const std::vector<double>& seconds, std::uint64_t seed) {
  return bootstrap(seconds.size(), seed, [&](const auto& rounds) { return median_of(seconds, rounds); });
}

BootstrapInterval ratio_of_times(const std::vector<double>& seconds, const std::vector<double>& reference,
                                 std::uint64_t seed) {
  return bootstrap(seconds.size(), seed,
                   [&](const auto& rounds) { return median_of(seconds, rounds) / median_of(reference, rounds); });
}

}  // namespace laxity::cli
