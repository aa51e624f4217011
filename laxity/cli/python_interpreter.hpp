// Finds the Python interpreter that has the package laxity, and runs the package. It reads run directories, the only
// interface between C++ and Python.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace laxity::cli {

/// An interpreter of Python.
struct PythonInterpreter {
  std::string program;                         ///< path, or a name that is looked up in PATH
  std::string version;                         ///< of Python
  std::optional<std::string> package_version;  ///< of the package laxity; empty if it cannot be imported
};

/// Tries $LAXITY_PYTHON or, if it is not set, the .venv of the source tree that this program was built from and python3 in
/// PATH. Returns the first interpreter that has the package, or else the first that runs.
std::optional<PythonInterpreter> find_python();

/// Runs `python -m laxity <arguments>` in the foreground and returns its exit code, 128 + the signal if one ended it.
/// Throws Error, with what to do, if no interpreter has the package.
int run_python_laxity(const std::vector<std::string>& arguments);

}  // namespace laxity::cli
