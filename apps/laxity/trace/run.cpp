#include "apps/laxity/trace/run.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

/// How a launcher is told a variable for its ranks.
enum class Launcher { open_mpi, hydra, other };

/// What `program --version` prints; empty if it cannot be started.
std::string version_text(const std::string& program) {
  try {
    Subprocess asked({program, "--version"}, {.output = Output::captured});
    std::string text = asked.read_output();
    asked.wait();
    return text;
  } catch (const Error&) {
    return {};
  }
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

int run_traced(CommandWords command, const Variables& variables) {
  const std::string program = command.front();
  const Launcher launcher = launcher_of(program);
  if (launcher != Launcher::other) add_options(command, launcher, variables);
  const int code = run_in_foreground(command, launcher == Launcher::other ? variables : Variables{});
  if (code == 126 || code == 127)
    throw Error(program + ": ended with exit code " + std::to_string(code) + ", so it could not start the program");
  return code;
}

}  // namespace laxity::cli
