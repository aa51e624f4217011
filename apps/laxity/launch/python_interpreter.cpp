#include "apps/laxity/launch/python_interpreter.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

// A folder named laxity in the working directory imports as an empty package; only ours knows its version.
constexpr const char* question = R"(import sys
print(sys.version.split()[0])
try:
    import laxity
    print(laxity.__version__)
except (ImportError, AttributeError):
    pass)";

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

int exit_code_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) == -1) {
    if (errno != EINTR) throw SystemError("waitpid", errno);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// What the program prints to its standard output, nothing if it cannot be started or fails. Its complaints are
/// dropped.
std::optional<std::string> output_of(std::vector<std::string> words) {
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) == -1) throw SystemError("pipe2", errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error = posix_spawnp(&child, words[0].c_str(), &actions, nullptr, pointers_to(words).data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);

  std::string text;
  char buffer[256];
  for (ssize_t got = 0; error == 0 && (got = read(pipe_ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  close(pipe_ends[0]);
  if (error != 0 || exit_code_of(child) != 0) return std::nullopt;
  return text;
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
    throw Error("no Python interpreter runs here; install Python 3.10 or later, or set LAXITY_PYTHON to one");
  }
  if (!python->package_version) {
    throw Error(python->program +
                " has no package laxity; run scripts/bootstrap in the source tree, or install its folder " +
                "python/ with pip, or set LAXITY_PYTHON to an interpreter that has it");
  }
  std::vector<std::string> words{python->program, "-m", "laxity"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  pid_t child = 0;
  const int error = posix_spawnp(&child, words[0].c_str(), nullptr, nullptr, pointers_to(words).data(), environ);
  if (error != 0) throw SystemError("posix_spawn(" + python->program + ")", error);
  return exit_code_of(child);
}

}  // namespace laxity::cli
