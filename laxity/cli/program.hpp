// A program on the command line: it parses its options, runs what they choose, and turns a failure into one line and an
// exit code.
//
// Exit codes: 0 done, 1 failed, 2 usage. On the ranks of an MPI, one rank reports what all know.
// Threads: one. Elsewhere: commands and their options (command.hpp).
#pragma once

#include <functional>
#include <string>

#include "laxity/cli/command.hpp"

namespace laxity::cli {

struct ProgramText {
  std::string name;         ///< in messages and in the help
  std::string description;  ///< a sentence
  std::string version{};    ///< printed after the name by the option for it; empty: there is none
  std::string footer{};     ///< printed below the help
};

/// Calls `add` with the program as a command, then parses the command line, which calls the callbacks of the commands that
/// it chooses. Returns the exit code.
[[nodiscard]] int run_program(int argc, const char* const* argv, const ProgramText& text,
                              const std::function<void(Command&)>& add);

}  // namespace laxity::cli
