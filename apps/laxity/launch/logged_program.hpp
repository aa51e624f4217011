// Runs another program to its end with its output in a file. Ctrl-C and SIGTERM end that program, which cleans up, and
// not this one, which says so.
//
// Threads: one program at a time, from one thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace laxity::cli {

/// How a program ended.
struct ProgramEnd {
  int code = 0;              ///< 128 + the signal if one ended it, 127 if it could not be started
  bool interrupted = false;  ///< by Ctrl-C or SIGTERM, now or in an earlier call
};

/// `words` are the program, found as a shell does, and its arguments. It ends with this process, whatever happens.
/// Throws SystemError.
[[nodiscard]] ProgramEnd run_logged(std::vector<std::string> words, const std::filesystem::path& log);

}  // namespace laxity::cli
