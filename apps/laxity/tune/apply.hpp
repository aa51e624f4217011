// Runs a program without rules and under each of several rules files, repeated and interleaved, and compares run times.
//
// Elsewhere: how the files are made (tune/choices.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/laxity/tune/choices.hpp"

namespace laxity::cli {

struct ApplyOptions {
  ChoiceOptions choice;              ///< with runs: their choices become rules files, which are tried
  std::vector<std::string> rules;    ///< "name=file" or "file": further ones
  std::vector<std::string> command;  ///< a program and its arguments
  int repetitions = 5;
  std::uint64_t seed = 1;
  std::string output;  ///< a table of all run times; none if empty
  bool show = false;   ///< what the program writes
};

/// Prints a line for each treatment: the median run time and its ratio to that without rules, both with 95 % bootstrap
/// intervals. Throws UsageError if there is nothing to try, or for a rules file that has a fault or a trap (nothing is run
/// then), and Error if a run of the program fails.
void apply_rules(const ApplyOptions& options);

}  // namespace laxity::cli
