// Starting a program under the tracer: its ranks get the preloaded library and its settings, the launcher does not.
//
// Open MPI's and MPICH's launchers carry variables to all nodes by options of their own; any other command (srun, a script)
// gets them in its environment, where the library rests until a process calls MPI_Init.
#pragma once

#include <string>

#include "apps/laxity/launch/subprocess.hpp"

namespace laxity::cli {

/// The library that is preloaded: $LAXITY_TRACE_LIBRARY, else beside this program's build or installation. Throws
/// UsageError that says where it was looked for.
[[nodiscard]] std::string trace_library();

/// Runs the command with these variables for its ranks, waits for it, and returns its exit code, 128 + the signal if one
/// ended it. Ctrl-C goes to the command. Throws SystemError naming the command if it cannot be started.
int run_traced(CommandWords command, const Variables& variables);

}  // namespace laxity::cli
