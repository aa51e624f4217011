// The work of `laxity tune`: writes files of rules, checks them, and runs a program with each of several files.
//
// Elsewhere: making the choices (tune/choices.hpp), the output (tune/print.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/laxity/tune/choices.hpp"

namespace laxity::cli {

struct TuneOptions {
  ChoiceOptions choice;
  std::string output;           ///< file of the robust choices; none if empty
  std::string no_delay_output;  ///< file of the choices without delay
  std::string traced_output;    ///< file of the choices for the traced application
};

/// Prints the choices and writes the files. Throws as Choices.
void write_choices(const TuneOptions& options);

/// Prints the errors and warnings of rules files. False if there are any.
[[nodiscard]] bool check_rules_files(const std::vector<std::string>& files);

struct ApplyOptions {
  ChoiceOptions choice;              ///< if it has runs, their choices are written as rules files and compared
  std::vector<std::string> rules;    ///< further rules files: "name=file" or "file"
  std::vector<std::string> command;  ///< the program and its arguments
  int repetitions = 10;
  std::uint64_t seed = 1;  ///< of the bootstrap
  std::string output;      ///< table of all run times; none if empty
  bool show = false;       ///< whether the program's standard output is shown
};

/// Runs the program without rules and with each rules file, in turns, and prints the run times with verdicts. Does not run it
/// if the library's own choice is kept for all sizes. Throws UsageError if there
/// are no rules, or if a rules file has an error or a warning (before the program is run), and Error if the program fails.
void apply_rules(const ApplyOptions& options);

}  // namespace laxity::cli
