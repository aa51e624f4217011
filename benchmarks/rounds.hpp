// What the benchmarks share: their command line, and measuring candidates in rounds.
//
// All candidates run in every round, and ratios are formed within a round, so that a change of the machine's speed affects
// all of them alike. The order is rotated from round to round, so that no candidate always runs after the same one. Reports
// print medians over rounds.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "laxity/median.hpp"

namespace laxity::bench {

/// The command line of a benchmark: [--rounds N] [--csv FILE] [--smoke].
struct CommandLine {
  int rounds;
  bool smoke = false;   ///< one round of a moment each, only to see that the program runs
  std::ofstream csv{};  ///< not open unless asked for
};

/// Ends the program with exit code 2 and the usage if it cannot be read. `csv_header` is empty if there is no table.
[[nodiscard]] inline CommandLine read_command_line(int argc, char** argv, int rounds,
                                                   std::string_view csv_header = "") {
  CommandLine line{.rounds = rounds};
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const bool has_value = i + 1 < argc;
    if (argument == "--smoke") {
      line.smoke = true;
      line.rounds = 1;
    } else if (argument == "--rounds" && has_value && std::atoi(argv[i + 1]) > 0) {
      line.rounds = std::atoi(argv[++i]);
    } else if (argument == "--csv" && has_value && !csv_header.empty()) {
      line.csv.open(argv[++i]);
      line.csv << csv_header << '\n';
    } else {
      std::fprintf(stderr, "usage: %s [--rounds N]%s [--smoke]\n", argv[0], csv_header.empty() ? "" : " [--csv FILE]");
      std::exit(2);
    }
  }
  return line;
}

/// The figures of each candidate, one per round.
using RoundFigures = std::vector<std::vector<double>>;

/// measure(i) gives the figure of candidate i, of `candidates`.
template <class Measure>
[[nodiscard]] RoundFigures measure_in_rounds(int rounds, std::size_t candidates, Measure measure) {
  RoundFigures figures(candidates);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t turn = 0; turn < candidates; ++turn) {
      const std::size_t candidate = (turn + static_cast<std::size_t>(round)) % candidates;
      figures[candidate].push_back(measure(candidate));
    }
  }
  return figures;
}

/// Round by round.
[[nodiscard]] inline std::vector<double> ratios(const std::vector<double>& figures, const std::vector<double>& base) {
  std::vector<double> quotients;
  for (std::size_t round = 0; round < figures.size(); ++round) quotients.push_back(figures[round] / base[round]);
  return quotients;
}

/// Round by round.
[[nodiscard]] inline std::vector<double> differences(const std::vector<double>& figures,
                                                     const std::vector<double>& base) {
  std::vector<double> found;
  for (std::size_t round = 0; round < figures.size(); ++round) found.push_back(figures[round] - base[round]);
  return found;
}

}  // namespace laxity::bench
