// Runs any program built with the library with varied arguments, and observes it from outside.
//
// The program needs no change: its team is found as `laxity top` finds it, and its counters are read while they change.
// Invariants: a run counts when the program has ended with code 0 and a team of it has been seen.
// Elsewhere: the command line (options.cpp), how a team is found and read (observed_team.hpp), the tables
// (docs/run_format.md, kind custom).
#pragma once

#include <string>
#include <vector>

namespace laxity::cli {

struct CustomOptions {
  std::vector<std::string> command;  ///< the program and its arguments
  std::string vary;                  ///< NAME=a,b,c; nothing if empty
  int replicates = 5;
  double window_s = 0.5;
  std::string output;
  bool report = false;
  bool quiet = false;
  int argc = 0;
  const char* const* argv = nullptr;
};

/// Runs the program with each value, writes the run directory, and the report if asked for. Returns the exit code.
/// Throws UsageError if what is varied is not among the arguments.
int run_custom_study(const CustomOptions& options);

}  // namespace laxity::cli
