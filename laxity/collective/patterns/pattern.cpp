#include "laxity/collective/patterns/pattern.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "laxity/error.hpp"
#include "laxity/random.hpp"
#include "laxity/text_scanner.hpp"

namespace laxity::collective {
namespace {

constexpr std::array<std::pair<std::string_view, Pattern>, 9> names{{{"no_delay", Pattern::no_delay},
                                                                     {"ascending", Pattern::ascending},
                                                                     {"descending", Pattern::descending},
                                                                     {"first_delayed", Pattern::first_delayed},
                                                                     {"last_delayed", Pattern::last_delayed},
                                                                     {"random", Pattern::random},
                                                                     {"bell", Pattern::bell},
                                                                     {"half_step", Pattern::half_step},
                                                                     {"v_shape", Pattern::v_shape}}};

// The shape before it is rescaled. `x` increases from 0 for the first process to 1 for the last.
double height(Pattern pattern, int process, int processes, double x, SeededRandom& random) {
  constexpr double bell_width = 0.15;
  switch (pattern) {
    case Pattern::no_delay:
      return 0;
    case Pattern::ascending:
      return x;
    case Pattern::descending:
      return 1 - x;
    case Pattern::first_delayed:
      return process == 0 ? 1 : 0;
    case Pattern::last_delayed:
      return process == processes - 1 ? 1 : 0;
    case Pattern::random:
      return random.unit();
    case Pattern::bell: {
      const double off = (x - 0.5) / bell_width;
      return std::exp(-0.5 * off * off);
    }
    case Pattern::half_step:
      return 2 * process >= processes ? 1 : 0;
    case Pattern::v_shape:
      return std::abs(2 * x - 1);
  }
  return 0;
}

}  // namespace

std::string_view name_of(Pattern pattern) noexcept { return names[static_cast<std::size_t>(pattern)].first; }

Pattern pattern_named(std::string_view wanted) {
  std::string known;
  for (const auto& [name, pattern] : names) {
    if (name == wanted) return pattern;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw UsageError("arrival pattern " + laxity::detail::quoted(wanted) + " is not known; known are " + known);
}

std::vector<double> arrival_delays(Pattern pattern, int processes, double max_skew_s, std::uint64_t seed) {
  if (processes < 1) throw UsageError("processes = " + std::to_string(processes) + ": must be at least 1");
  if (!(max_skew_s >= 0) || std::isinf(max_skew_s)) {
    throw UsageError("max_skew_s = " + std::to_string(max_skew_s) + ": must be finite and not negative");
  }
  std::vector<double> delays(static_cast<std::size_t>(processes), 0.0);
  if (processes == 1 || pattern == Pattern::no_delay) return delays;
  SeededRandom random(seed);
  for (int process = 0; process < processes; ++process) {
    const double x = static_cast<double>(process) / (processes - 1);
    delays[static_cast<std::size_t>(process)] = height(pattern, process, processes, x, random);
  }
  const auto [lowest, highest] = std::minmax_element(delays.begin(), delays.end());
  const double low = *lowest;
  const double span = *highest - low;
  if (span == 0) return arrival_delays(Pattern::last_delayed, processes, max_skew_s);
  // The quotient of the largest delay is exactly 1, so that its delay equals the skew to the last bit.
  for (double& delay : delays) delay = (delay - low) / span * max_skew_s;
  return delays;
}

}  // namespace laxity::collective
