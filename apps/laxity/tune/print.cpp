#include "apps/laxity/tune/print.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <ostream>
#include <utility>

#include "laxity/collective/aliases.hpp"
#include "laxity/median.hpp"
#include "laxity/random.hpp"

namespace laxity::cli {
namespace {

// Equivalent candidates, whose measured differences are chance.
void print_aliases(const collective::Selection& selection, const std::string& library, std::ostream& out) {
  std::vector<collective::Algorithm> measured;
  for (const auto& candidate : selection.candidates) measured.push_back(candidate.algorithm);
  for (const auto& alias : collective::aliases(collective::library_of_version(library), selection.collective, measured,
                                               selection.processes, selection.bytes)) {
    out << "  " << alias.algorithm.name << " is equivalent to " << alias.runs.name << " here: " << alias.why << '\n';
  }
}

struct Interval {
  double middle = 0, low = 0, high = 0;
};

// The 95 % percentile bootstrap interval of a statistic of rounds, which is given the indices of the resampled rounds. A
// round is resampled as a whole, because disturbances of the machine affect all runs of a round.
template <class Statistic>
Interval bootstrap(std::size_t rounds, std::uint64_t seed, Statistic statistic) {
  constexpr std::size_t resamples = 2000;
  SeededRandom random(seed);
  std::vector<std::size_t> indices(rounds);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  const double middle = statistic(indices);
  std::vector<double> values;
  for (std::size_t resample = 0; resample < resamples; ++resample) {
    for (std::size_t& index : indices) index = random.below(static_cast<std::uint32_t>(rounds));
    values.push_back(statistic(indices));
  }
  std::sort(values.begin(), values.end());
  return {middle, values[resamples / 40], values[resamples - resamples / 40 - 1]};
}

double median_of(const std::vector<double>& seconds, const std::vector<std::size_t>& rounds) {
  std::vector<double> values;
  for (const std::size_t round : rounds) values.push_back(seconds[round]);
  return median(std::move(values));
}

}  // namespace

void print_choices(const collective::Selections& selections, const std::string& library, std::ostream& out) {
  for (const std::string& sentence : selections.undecided) out << sentence << '\n';
  for (const auto& selection : selections.made) {
    out << selection.reason() << '\n';
    print_aliases(selection, library, out);
    for (const std::string& name : selection.left_out) {
      out << "  not a candidate, since it was not measured under all patterns: " << name << '\n';
    }
  }
}

void print_check(const std::string& file, const collective::RulesCheck& check, std::ostream& out) {
  for (const collective::RulesWarning& warning : check.warnings) {
    out << file << ':' << warning.line << ':' << warning.column << ": " << warning.what << '\n';
  }
  out << file << ": " << name_of(check.kind) << (check.warnings.empty() ? ", no errors or warnings\n" : "\n");
}

void print_run_times(const std::vector<RunTimes>& treatments, std::uint64_t seed) {
  const std::vector<double>& library = treatments.front().seconds;
  fmt::print("{:<16} {:>10}   {:<20} {:>8}   {}\n", "rules", "median s", "95 % interval", "ratio", "95 % interval");
  for (const RunTimes& treatment : treatments) {
    const std::vector<double>& own = treatment.seconds;
    const Interval time = bootstrap(own.size(), seed, [&](const auto& rounds) { return median_of(own, rounds); });
    const std::string times = fmt::format("{:.4f} .. {:.4f}", time.low, time.high);
    fmt::print("{:<16} {:>10.4f}   {:<20}", treatment.name, time.middle, times);
    if (&treatment == &treatments.front()) {
      fmt::print(" {:>8}\n", "1");
      continue;
    }
    const Interval ratio = bootstrap(
        own.size(), seed, [&](const auto& rounds) { return median_of(own, rounds) / median_of(library, rounds); });
    fmt::print(" {:>8.4f}   {:.4f} .. {:.4f}\n", ratio.middle, ratio.low, ratio.high);
  }
  for (std::size_t i = 1; i < treatments.size(); ++i) {
    for (std::size_t other = 1; other < i; ++other) {
      if (treatments[i].rules != treatments[other].rules) continue;
      fmt::print("{} and {} have the same rules: their difference is chance\n", treatments[other].name,
                 treatments[i].name);
    }
  }
}

}  // namespace laxity::cli
