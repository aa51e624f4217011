#include "apps/laxity/trace/run.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

/// How a launcher is told a variable for its ranks.
enum class Launcher { open_mpi, hydra, other };

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// What `program --version` prints, at most a few kB; empty if it cannot be asked.
std::string version_text(const std::string& program) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<std::string> words{program, "--version"};
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, program.c_str(), &actions, nullptr, pointers_to(words).data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t read = 1; error == 0 && read > 0;) {
    read = ::read(ends[0], part.data(), part.size());
    if (read > 0 && text.size() < part.size()) text.append(part.data(), static_cast<std::size_t>(read));
  }
  ::close(ends[0]);
  if (error == 0) wait_for(child);
  return text;
}

Launcher launcher_of(const std::string& program) {
  const std::string name = std::filesystem::path(program).filename();
  constexpr std::array<std::string_view, 4> starts{"mpirun", "mpiexec", "orterun", "prterun"};
  bool known = false;
  for (const std::string_view start : starts) known |= name.starts_with(start);
  if (!known) return Launcher::other;
  const std::string version = version_text(program);
  for (const std::string_view word : {"Open MPI", "OpenRTE", "PRRTE", "PRTE"}) {
    if (version.find(word) != std::string::npos) return Launcher::open_mpi;
  }
  for (const std::string_view word : {"HYDRA", "Intel(R) MPI"}) {
    if (version.find(word) != std::string::npos) return Launcher::hydra;
  }
  return Launcher::other;
}

void add_options(std::vector<std::string>& command, Launcher launcher, const Variables& variables) {
  std::vector<std::string> options;
  for (const auto& [name, value] : variables) {
    if (launcher == Launcher::open_mpi) {
      options.emplace_back("-x");
      options.emplace_back(name).append("=").append(value);
    } else {
      options.insert(options.end(), {"-genv", name, value});
    }
  }
  command.insert(command.begin() + 1, options.begin(), options.end());
}

}  // namespace

std::string trace_library() {
  std::vector<std::filesystem::path> places;
  if (const char* chosen = std::getenv("LAXITY_TRACE_LIBRARY"); chosen != nullptr && *chosen != '\0') {
    places = {chosen};
  } else {
    std::error_code unreadable;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", unreadable);
    places = {program.parent_path().parent_path() / LAXITY_LIBRARY_FOLDER / "liblaxity_trace.so",
              LAXITY_BUILT_TRACE_LIBRARY};
  }
  std::string looked;
  for (const auto& place : places) {
    if (std::filesystem::exists(place)) return std::filesystem::absolute(place).string();
    looked += (looked.empty() ? "" : ", ") + place.string();
  }
  throw UsageError("there is no tracer library at " + looked + "; set LAXITY_TRACE_LIBRARY to it");
}

int run_traced(std::vector<std::string> command, const Variables& variables) {
  const std::string program = command.front();
  const Launcher launcher = launcher_of(program);
  if (launcher != Launcher::other) add_options(command, launcher, variables);
  // Who presses Ctrl-C means the command; what it has recorded by then is still to be summarized.
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGINT, &ignore, &before);
  const pid_t child = ::fork();
  if (child < 0) throw SystemError("fork", errno);
  if (child == 0) {
    ::sigaction(SIGINT, &before, nullptr);
    if (launcher == Launcher::other) {
      for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
    }
    ::execvp(program.c_str(), pointers_to(command).data());
    ::_exit(errno == ENOENT ? 127 : 126);
  }
  const int code = wait_for(child);
  ::sigaction(SIGINT, &before, nullptr);
  if (code == 126 || code == 127) throw Error(program + ": cannot be started, or could not start the program");
  return code;
}

}  // namespace laxity::cli
