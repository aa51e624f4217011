// The output of `laxity tune` and of the choices of `laxity arrival`.
//
// Elsewhere: making the choices (tune/choices.hpp), running programs with them (tune/apply.hpp).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "laxity/collective/rules/rules_check.hpp"
#include "laxity/collective/selection/selection.hpp"

namespace laxity::cli {

/// The run times of a program under one file of rules.
struct RunTimes {
  std::string name;
  std::string rules;            ///< text of the file; empty for the library's own choice
  std::string settings;         ///< the environment variables that make the library follow it, as in a shell
  std::vector<double> seconds;  ///< one per round
};

/// Prints the reason of each choice, equivalent algorithms, and algorithms that are no candidates. `library` is the name and
/// version of the measured library.
void print_choices(const std::vector<collective::Selection>& selections, const std::string& library, std::ostream& out);

/// Prints the kind of a rules file and its warnings.
void print_check(const std::string& file, const collective::RulesCheck& check, std::ostream& out);

/// Prints the median run time of each treatment and its ratio to the first one, which is the library's own choice, both
/// with 95 % bootstrap intervals and a verdict; and recommends the fastest of those that are better, or the library's own
/// choice. The seed is that of the bootstrap.
void print_run_times(const std::vector<RunTimes>& treatments, std::uint64_t seed);

}  // namespace laxity::cli
