// Runs a program without rules and under each of several rules files, repeated and interleaved, and compares run times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace laxity::cli {

struct ApplyOptions {
  std::vector<std::string> rules;    ///< "name=file" or "file"
  std::vector<std::string> command;  ///< a program and its arguments
  int repetitions = 5;
  std::uint64_t seed = 1;
  std::string output;  ///< a table of all run times; none if empty
  bool show = false;   ///< what the program writes
};

/// Prints a line for each treatment: the median run time and its ratio to that without rules, with 95 % bootstrap
/// intervals. Throws UsageError for a rules file that has a fault or a trap (nothing is run then), and Error if a run of
/// the program fails.
void apply_rules(const ApplyOptions& options);

}  // namespace laxity::cli
