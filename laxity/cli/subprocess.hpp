// A child process that runs another program. Every program that the command line starts is started here.
//
// Invariants: a child is reaped exactly once; it is killed when its Subprocess is destroyed first, and gets SIGTERM when
// the parent dies. A program that cannot be started is an error of the constructor, not an exit code.
// Threads: an object belongs to the thread that made it, which must outlive the child.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace laxity::cli {

/// A program, found in PATH as a shell does, and its arguments.
using CommandWords = std::vector<std::string>;

/// Environment variables as (name, value).
using Variables = std::vector<std::pair<std::string, std::string>>;

/// Where the output of a child goes.
enum class Output {
  inherited,        ///< to the standard output and the standard error of this process
  errors_only,      ///< standard output is discarded, standard error is inherited
  captured,         ///< standard output is read by read_output(), standard error is discarded
  written_to_log,   ///< both to a file that is replaced
  appended_to_log,  ///< both to the end of a file
};

struct SubprocessOptions {
  Output output = Output::inherited;
  std::filesystem::path log = {};  ///< for written_to_log and appended_to_log
  Variables environment = {};      ///< set for the child in addition to the environment of this process
};

class Subprocess {
 public:
  /// Throws Error naming the program if it cannot be started, SystemError if the log cannot be opened.
  explicit Subprocess(const CommandWords& command, const SubprocessOptions& options = {});
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;
  ~Subprocess();

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }

  /// With Output::captured: everything the child writes until it closes its standard output.
  [[nodiscard]] std::string read_output();

  /// The exit code once the child has ended, 128 + the signal if a signal ended it. Does not block.
  [[nodiscard]] std::optional<int> exit_code();

  /// Blocks until the child has ended and returns its exit code.
  int wait();

 private:
  void reap(int options);

  pid_t pid_ = 0;
  int output_ = -1;  // the end of the pipe to read from, with Output::captured
  std::optional<int> code_;
};

/// How a program ended.
struct ProgramEnd {
  int code = 0;              ///< as Subprocess::exit_code()
  bool interrupted = false;  ///< by Ctrl-C or SIGTERM, now or in an earlier call
};

/// Runs a program to its end with its output in a log. Ctrl-C and SIGTERM end the program, which cleans up, and not
/// this process. One call at a time. Throws as the constructor of Subprocess.
[[nodiscard]] ProgramEnd run_logged(const CommandWords& command, const std::filesystem::path& log);

/// Runs a program to its end in the foreground. Ctrl-C ends the program and not this process. Throws as the constructor
/// of Subprocess.
int run_in_foreground(const CommandWords& command, const Variables& environment);

/// Replaces this process by a program. Throws Error naming the program if it cannot be started.
[[noreturn]] void replace_this_process(const CommandWords& command);

/// Path of the running executable.
[[nodiscard]] std::string this_program();

}  // namespace laxity::cli
