#include "laxity/cli/python_interpreter.hpp"

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "laxity/cli/subprocess.hpp"
#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

// The package is recognized by its version: a folder named laxity in the working directory imports as an empty package.
constexpr const char* question = R"(import sys
print(sys.version.split()[0])
try:
    import laxity
    print(laxity.__version__)
except (ImportError, AttributeError):
    pass)";

/// The standard output of a program, nothing if it cannot be started or fails.
std::optional<std::string> output_of(const CommandWords& command) {
  try {
    Subprocess program(command, {.output = Output::captured});
    std::string text = program.read_output();
    if (program.wait() == 0) return text;
  } catch (const Error&) {  // no such program
  }
  return std::nullopt;
}

std::vector<std::string> candidates() {
  if (const char* chosen = std::getenv("LAXITY_PYTHON"); chosen != nullptr && *chosen != '\0') return {chosen};
  std::vector<std::string> programs;
  if (std::filesystem::exists(LAXITY_SOURCE_PYTHON)) programs.emplace_back(LAXITY_SOURCE_PYTHON);
  programs.emplace_back("python3");
  return programs;
}

}  // namespace

std::optional<PythonInterpreter> find_python() {
  std::optional<PythonInterpreter> first;
  for (const auto& program : candidates()) {
    const auto answer = output_of({program, "-c", question});
    if (!answer) continue;
    std::istringstream lines(*answer);
    PythonInterpreter found{program, "", std::nullopt};
    std::getline(lines, found.version);
    if (std::string version; std::getline(lines, version)) found.package_version = version;
    if (found.package_version) return found;
    if (!first) first = found;
  }
  return first;
}

int run_python_laxity(const std::vector<std::string>& arguments) {
  const auto python = find_python();
  if (!python) {
    throw Error(
        "no Python interpreter was found; install Python 3.10 or later, or set LAXITY_PYTHON to an interpreter");
  }
  if (!python->package_version) {
    throw Error(python->program +
                " has no package laxity; run scripts/bootstrap in the source tree, or install its folder " +
                "python/ with pip, or set LAXITY_PYTHON to an interpreter that has it");
  }
  CommandWords words{python->program, "-m", "laxity"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return Subprocess(words).wait();
}

}  // namespace laxity::cli
