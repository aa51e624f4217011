// Finds the Python interpreter that has the package laxity, and runs it. The package reads run directories; files are
// the only interface between it and this program.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace laxity::cli {

/// An interpreter that was found.
struct PythonInterpreter {
  std::string program;                         ///< path, or a name that is looked up in PATH
  std::string version;                         ///< of Python
  std::optional<std::string> package_version;  ///< of the package laxity; nothing: it cannot be imported
};

/// Looks at $LAXITY_PYTHON, at the .venv of the source tree that this program was built from, and at python3 in PATH;
/// the first that has the package wins, else the first that runs. $LAXITY_PYTHON, when set, is the only one looked at.
std::optional<PythonInterpreter> find_python();

/// Runs `python -m laxity <arguments>` in the foreground and returns its exit code, 128 + the signal if one ended it.
/// Throws Error, with what to do, if no interpreter has the package.
int run_python_laxity(const std::vector<std::string>& arguments);

}  // namespace laxity::cli
