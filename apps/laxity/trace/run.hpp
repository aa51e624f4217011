// Runs a program with the tracer preloaded into its ranks, and writes the run directory.
//
// The launchers of Open MPI and MPICH have options that set variables in the ranks on all hosts. Other commands (srun, a
// script) get the variables in their environment, where the library does nothing until a process calls MPI_Init.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace laxity::cli {

struct TraceOptions {
  int argc = 0;
  const char* const* argv = nullptr;
  std::string output;     ///< run directory; runs/trace-<time> if empty
  int every = 1;          ///< record every k-th call on a communicator
  std::string processes;  ///< ranks to trace, such as 0-3,8; all if empty
  bool report = false;
  bool quiet = false;
  std::vector<std::string> command;
};

/// Runs the command, writes its trace as a run directory and prints the summary. Ctrl-C ends the command and not this
/// process. Returns the exit code of the command, 128 + the signal if a signal ended it. Throws UsageError for invalid
/// options, and Error if the command cannot be started.
[[nodiscard]] int run_traced_program(const TraceOptions& options);

/// Makes a run directory of a folder of trace files, or writes its tables again.
void merge_traces(const std::filesystem::path& path, int argc, const char* const* argv);

}  // namespace laxity::cli
