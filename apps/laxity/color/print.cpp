#include "apps/laxity/color/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace laxity::cli {
namespace {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(std::max<std::size_t>(values.size(), 1));
}

// The rate of the treatment that differs only in that its workers do not communicate, on the shared mesh or on a torus
// each; 0 if there is none.
double isolated_rate(const std::vector<ColorTally>& tallies, ColorTreatment treatment, bool own_tori) {
  treatment.mode = PacingMode::isolated;
  treatment.own_tori = own_tori;
  const std::string title = title_of(treatment);
  const auto found =
      std::ranges::find(tallies, title, [](const ColorTally& tally) { return title_of(tally.treatment); });
  return found == tallies.end() ? 0 : mean(found->rates);
}

}  // namespace

void print_meshes(const ColorMeshes& meshes, const std::vector<ColorTreatment>& treatments) {
  std::vector<std::string> lines;
  for (const ColorTreatment& treatment : treatments) {
    std::string line = fmt::format("{}: {}", treatment.shape.text(), meshes.description(treatment));
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
  }
  for (const std::string& line : lines) fmt::print("{}\n", line);
}

void print_treatments(const std::vector<ColorTally>& tallies) {
  std::size_t width = 9;
  for (const ColorTally& tally : tallies) width = std::max(width, title_of(tally.treatment).size());
  const bool show_moves = std::ranges::any_of(tallies, migrates, &ColorTally::treatment);
  const bool has_own_tori = std::ranges::any_of(tallies, &ColorTreatment::own_tori, &ColorTally::treatment);
  const auto share = [](double rate, double of) { return of > 0 ? fmt::format("{:.2f}", rate / of) : ""; };
  fmt::print("{:<{}} {:>4} {:>22} {:>17}{} {:>10}{}\n", "treatment", width, "runs", "updates/s per worker",
             "share of mode 4", has_own_tori ? "   on a torus each" : "", "conflicts", show_moves ? "      moves" : "");
  for (const ColorTally& tally : tallies) {
    if (tally.rates.empty()) continue;
    const double rate = mean(tally.rates);
    const double isolated = isolated_rate(tallies, tally.treatment, false);
    const double alone = isolated_rate(tallies, tally.treatment, true);
    fmt::print("{:<{}} {:>4} {:>22.0f} {:>17}{} {:>10.1f}{}\n", title_of(tally.treatment), width, tally.rates.size(),
               rate, share(rate, isolated), has_own_tori ? fmt::format(" {:>17}", share(rate, alone)) : "",
               mean(tally.conflicts), show_moves ? fmt::format(" {:>10.1f}", mean(tally.moves)) : "");
  }
}

}  // namespace laxity::cli
