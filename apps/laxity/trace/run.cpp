#include "apps/laxity/trace/run.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "apps/laxity/trace/print.hpp"
#include "apps/laxity/trace/tables.hpp"
#include "apps/laxity/trace/traced_job.hpp"
#include "laxity/cli/python_interpreter.hpp"
#include "laxity/cli/run_name.hpp"
#include "laxity/cli/subprocess.hpp"
#include "laxity/error.hpp"
#include "laxity/metrics/disturbance.hpp"
#include "laxity/metrics/run_directory.hpp"
#include "laxity/metrics/tables.hpp"

namespace laxity::cli {
namespace {

// The launchers with options for environment variables of the ranks.
enum class Launcher { open_mpi, hydra, other };

// The output of `program --version`; empty if it cannot be started.
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

// Adds the launcher's options for variables of the ranks: Open MPI's for each of the contexts, which ":" separates.
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
  std::vector<std::string> with_options;
  for (const std::string& word : command) {
    with_options.push_back(word);
    const bool begins_context = with_options.size() == 1 || (launcher == Launcher::open_mpi && word == ":");
    if (begins_context) with_options.insert(with_options.end(), options.begin(), options.end());
  }
  command = std::move(with_options);
}

// The interposition library: $LAXITY_TRACE_LIBRARY, or in the installation or build of this program.
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
  std::string tried;
  for (const auto& place : places) {
    if (std::filesystem::exists(place)) return std::filesystem::absolute(place).string();
    tried += (tried.empty() ? "" : ", ") + place.string();
  }
  throw UsageError("no tracer library at " + tried + "; set LAXITY_TRACE_LIBRARY to its path");
}

// Runs the command with these variables for its ranks and returns its exit code.
int run_traced(CommandWords command, const Variables& variables) {
  const std::string program = command.front();
  const Launcher launcher = launcher_of(program);
  if (launcher != Launcher::other) add_options(command, launcher, variables);
  const int code = run_in_foreground(command, launcher == Launcher::other ? variables : Variables{});
  if (code == 126 || code == 127) {
    throw Error(program + ": ended with exit code " + std::to_string(code) + ", so it could not start the program");
  }
  return code;
}

Variables variables_for(const TraceOptions& options, const std::filesystem::path& traces) {
  std::string preload = trace_library();
  if (const char* others = std::getenv("LD_PRELOAD"); others != nullptr && *others != '\0') {
    preload += std::string(":") + others;
  }
  Variables variables{{"LD_PRELOAD", preload}, {"LAXITY_TRACE_DIR", std::filesystem::absolute(traces).string()}};
  if (options.every != 1) variables.emplace_back("LAXITY_TRACE_EVERY", std::to_string(options.every));
  if (!options.processes.empty()) variables.emplace_back("LAXITY_TRACE_PROCESSES", options.processes);
  return variables;
}

// Removes the folders in which processes of partly traced jobs met (laxity/trace/detail/preload/agreement.hpp).
void remove_meetings(const std::filesystem::path& traces) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(traces)) {
    if (entry.path().filename().string().starts_with(".job-")) found.push_back(entry.path());
  }
  for (const auto& folder : found) std::filesystem::remove_all(folder);
}

// Writes the tables of the run directory. Programs that were interrupted or failed have traces, too. Returns the text of the summary.
std::string finish(RunDirectory& directory, int code, const Disturbance& disturbance) {
  std::string text;
  try {
    remove_meetings(directory.path() / "trace");
    const auto jobs = trace::read_jobs(directory.path() / "trace");
    text = summary_text(jobs, write_trace_tables(directory, jobs));
    DisturbancesTable disturbances(directory.path());
    for (std::size_t job = 0; job < jobs.size(); ++job)
      add_rows(disturbances, static_cast<std::int64_t>(job), std::vector{disturbance});
  } catch (...) {
    directory.finish("failed");
    throw;
  }
  directory.finish(code == 0 ? "done" : "failed");
  return text;
}

}  // namespace

int run_traced_program(const TraceOptions& options) {
  if (options.command.empty()) throw UsageError("expected a command: laxity trace -- mpirun -n 8 ./app");
  if (options.every < 1) throw UsageError(fmt::format("--every {}: must be at least 1", options.every));
  const std::filesystem::path output = options.output.empty() ? default_output("trace") : options.output;
  if (std::filesystem::exists(output / "trace")) {
    throw UsageError(output.string() + ": contains a trace already; choose another directory with --output");
  }
  const Variables variables = variables_for(options, output / "trace");
  Manifest manifest = manifest_of_this_machine("trace", output.filename().string(), options.argc, options.argv);
  manifest.configuration = {{"command", options.command},
                            {"every", std::int64_t{options.every}},
                            {"processes", options.processes.empty() ? std::string("all") : options.processes}};
  RunDirectory directory(output, std::move(manifest));
  std::filesystem::create_directories(output / "trace");
  const DisturbanceMeter meter;
  const int code = run_traced(options.command, variables);
  const std::string summary = finish(directory, code, meter.since_begin());
  if (!options.quiet) {
    fmt::print(stderr, "{}{} results in {}\n", summary, code == 0 ? "" : fmt::format("exit code {};", code),
               output.string());
  }
  const int reported = options.report ? run_python_laxity({"report", output.string()}) : 0;
  return code != 0 ? code : reported;
}

void merge_traces(const std::filesystem::path& path, int argc, const char* const* argv) {
  const auto jobs = trace::read_jobs(trace_files_of(path));
  for (const TableDescription* table : tables::trace_kind) std::filesystem::remove(path / table->file);
  std::filesystem::remove(path / "manifest.json");
  const auto name = std::filesystem::absolute(path / ".").parent_path().filename().string();
  Manifest manifest = manifest_of_this_machine("trace", name, argc, argv);
  manifest.configuration = {{"merged", true}};
  RunDirectory directory(path, std::move(manifest));
  write_trace_tables(directory, jobs);
  directory.finish("done");
  std::size_t processes = 0;
  for (const trace::Job& job : jobs) processes += job.processes.size();
  fmt::print("{} processes of {} jobs merged in {}\n", processes, jobs.size(), path.string());
}

}  // namespace laxity::cli
