#include "apps/laxity/tune/print.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <ostream>

#include "apps/laxity/tune/verdict.hpp"
#include "laxity/collective/aliases.hpp"
#include "laxity/median.hpp"

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

// Prints which of the treatments to use, given their verdicts.
void print_recommendation(const std::vector<RunTimes>& treatments, const std::vector<Verdict>& verdicts) {
  const RunTimes* best = nullptr;
  for (std::size_t i = 1; i < treatments.size(); ++i) {
    if (verdicts[i] == Verdict::worse) {
      fmt::print("not recommended: {} was measured to be slower than the library's own choice\n", treatments[i].name);
    }
    if (verdicts[i] != Verdict::better) continue;
    if (best == nullptr || median(treatments[i].seconds) < median(best->seconds)) best = &treatments[i];
  }
  if (best == nullptr) {
    fmt::print("recommended: the library's own choice; nothing was measured to be faster\n");
  } else {
    fmt::print("recommended: {}, with {}\n", best->name, best->settings);
  }
}

}  // namespace

void print_choices(const std::vector<collective::Selection>& selections, const std::string& library,
                   std::ostream& out) {
  for (const auto& selection : selections) {
    out << selection.reason() << '\n';
    print_aliases(selection, library, out);
    for (const std::string& name : selection.left_out) {
      out << "  " << name
          << " has enough valid repetitions under less than half of the conditions, and is no candidate\n";
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
  fmt::print("{:<16} {:>10}   {:<20} {:>8}   {:<20} {}\n", "rules", "median s", "95 % interval", "ratio",
             "95 % interval", "verdict");
  std::vector<Verdict> verdicts{Verdict::same};
  for (const RunTimes& treatment : treatments) {
    const BootstrapInterval time = median_time(treatment.seconds, seed);
    const std::string times = fmt::format("{:.4f} .. {:.4f}", time.low, time.high);
    fmt::print("{:<16} {:>10.4f}   {:<20}", treatment.name, time.middle, times);
    if (&treatment == &treatments.front()) {
      fmt::print(" {:>8}\n", "1");
      continue;
    }
    const BootstrapInterval ratio = ratio_of_times(treatment.seconds, library, seed);
    verdicts.push_back(verdict_of(ratio, library.size()));
    const std::string ratios = fmt::format("{:.4f} .. {:.4f}", ratio.low, ratio.high);
    fmt::print(" {:>8.4f}   {:<20} {}\n", ratio.middle, ratios, name_of(verdicts.back()));
  }
  for (std::size_t i = 1; i < treatments.size(); ++i) {
    for (std::size_t other = 1; other < i; ++other) {
      if (treatments[i].rules != treatments[other].rules) continue;
      fmt::print("{} and {} have the same rules: their difference is chance\n", treatments[other].name,
                 treatments[i].name);
    }
  }
  if (library.size() < min_values_for_interval) {
    fmt::print("a verdict needs at least {} runs of each: --repeat\n", min_values_for_interval);
  }
  print_recommendation(treatments, verdicts);
}

}  // namespace laxity::cli
