// laxity trace: runs an MPI program and records its collective calls; summarizes, merges and exports traces.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "apps/laxity/cli/command.hpp"
#include "apps/laxity/cli/run_name.hpp"
#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/launch/python_interpreter.hpp"
#include "apps/laxity/trace/export.hpp"
#include "apps/laxity/trace/run.hpp"
#include "apps/laxity/trace/tables.hpp"
#include "laxity/error.hpp"
#include "laxity/metrics/run_directory.hpp"
#include "laxity/metrics/tables.hpp"

namespace laxity::cli {
namespace {

constexpr const char* examples = R"(Examples:
  laxity trace -- mpirun -n 8 ./app               a summary at the end, and a run directory
  laxity trace --output runs/ft -- mpirun -n 8 ./ft
  laxity trace --every 100 --processes 0-15 -- srun ./app
                                                  every hundredth call of sixteen ranks
  laxity trace summary runs/ft                    the summary again
  laxity trace export runs/ft --format json --output ft.json
                                                  for ui.perfetto.dev or chrome://tracing
  laxity trace export runs/ft --format pattern    how late each process comes on average, as a pattern file
  LD_PRELOAD=.../liblaxity_trace.so LAXITY_TRACE_DIR=traces mpirun -n 8 ./app
  laxity trace merge traces                       the same by hand

The exit code is that of the program. The summary goes to standard error, so that the output of the program stays as it is.
Traced are programs in C, C++, Fortran and Python on Open MPI, MPICH and its relatives.
)";

struct TraceOptions {
  int argc = 0;
  const char* const* argv = nullptr;
  std::string output;
  int every = 1;
  std::string processes;
  bool report = false;
  bool quiet = false;
  std::vector<std::string> command;
};

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

/// What the program left, as tables. An interrupted or failed program has a trace as well.
std::vector<trace::Job> finish(RunDirectory& directory, int code) {
  std::vector<trace::Job> jobs;
  try {
    jobs = trace::read_jobs(directory.path() / "trace");
    write_trace_tables(directory, jobs);
  } catch (...) {
    directory.finish("failed");
    throw;
  }
  directory.finish(code == 0 ? "done" : "failed");
  return jobs;
}

int run_program(const TraceOptions& options) {
  if (options.command.empty()) throw UsageError("say what to run: laxity trace -- mpirun -n 8 ./app");
  if (options.every < 1) throw UsageError(fmt::format("--every {}: at least 1", options.every));
  const std::filesystem::path output = options.output.empty() ? default_output("trace") : options.output;
  if (std::filesystem::exists(output / "trace")) {
    throw UsageError(output.string() + ": there is a trace in it already; name another directory with --output");
  }
  const Variables variables = variables_for(options, output / "trace");
  Manifest manifest = manifest_of_this_machine("trace", output.filename().string(), options.argc, options.argv);
  manifest.configuration = {{"command", options.command},
                            {"every", std::int64_t{options.every}},
                            {"processes", options.processes.empty() ? std::string("all") : options.processes}};
  RunDirectory directory(output, std::move(manifest));
  std::filesystem::create_directories(output / "trace");
  const int code = run_traced(options.command, variables);
  const auto jobs = finish(directory, code);
  if (!options.quiet) {
    fmt::print(stderr, "{}{} results in {}\n", summary_text(jobs), code == 0 ? "" : fmt::format("exit code {};", code),
               output.string());
  }
  const int reported = options.report ? run_python_laxity({"report", output.string()}) : 0;
  return code != 0 ? code : reported;
}

/// Makes the tables of a directory anew from its trace files.
void merge(const std::filesystem::path& path, const TraceOptions& options) {
  const auto jobs = trace::read_jobs(trace_files_of(path));
  for (const TableDescription* table : tables::trace_kind) std::filesystem::remove(path / table->file);
  std::filesystem::remove(path / "manifest.json");
  const auto name = std::filesystem::absolute(path / ".").parent_path().filename().string();
  Manifest manifest = manifest_of_this_machine("trace", name, options.argc, options.argv);
  manifest.configuration = {{"merged", true}};
  RunDirectory directory(path, std::move(manifest));
  write_trace_tables(directory, jobs);
  directory.finish("done");
  fmt::print(
      "{} processes of {} jobs merged in {}\n",
      [&] {
        std::size_t sum = 0;
        for (const trace::Job& job : jobs) sum += job.processes.size();
        return sum;
      }(),
      jobs.size(), path.string());
}

void add_run_options(Command& command, TraceOptions& options) {
  command.add_option("command", options.command, "What to run, after --: a launcher of MPI and its arguments")
      ->type_name("COMMAND");
  command.add_option("--output", options.output, "Run directory; runs/trace-<time> if not given");
  command.add_option("--every", options.every, "Record every n-th call on a communicator")->capture_default_str();
  command.add_option("--processes", options.processes, "Trace these ranks only, as in 0-3,8");
  command.add_flag("--report", options.report, "Write report.html at the end");
  command.add_flag("--quiet", options.quiet, "No summary");
}

Command* add_reader(Command& command, const char* name, const char* what, std::filesystem::path& directory) {
  Command* reader = command.add_subcommand(name, what);
  reader->add_option("directory", directory, "Run directory, or folder of trace files")
      ->required()
      ->existing_directory()
      ->type_name("DIR");
  return reader;
}

}  // namespace

void add_trace(Command& app, int argc, const char* const* argv) {
  auto* command = app.add_subcommand("trace", "Record the collective calls of an MPI program");
  command->footer(examples);
  auto options = std::make_shared<TraceOptions>();
  options->argc = argc;
  options->argv = argv;
  add_run_options(*command, *options);
  auto exporting = std::make_shared<TraceExport>();
  Command* summary = add_reader(*command, "summary", "Print what a trace comes to", exporting->directory);
  Command* merging =
      add_reader(*command, "merge", "Make the tables of a run directory from trace files", exporting->directory);
  Command* writing = add_reader(*command, "export", "Write a trace for other tools", exporting->directory);
  writing->add_option("--format", exporting->format, "csv, json (Perfetto, Chrome), otf2 or pattern")
      ->one_of({"csv", "json", "otf2", "pattern"})
      ->capture_default_str();
  writing->add_option("--output", exporting->output,
                      "File, or folder of otf2 and of several patterns; standard output");
  writing->add_option("--per", exporting->per, "A pattern per application (mean over calls), call or site")
      ->one_of({"application", "call", "site"})
      ->capture_default_str();
  writing->add_option("--collective", exporting->collective, "Patterns of this collective (default: of most time)");
  writing->add_option("--communicator", exporting->communicator,
                      "Patterns on this communicator, as in world, \"comm 1\"");
  command->require_subcommand(0, 1);
  command->callback([=] {
    if (summary->parsed()) {
      fmt::print("{}", summary_text(trace::read_jobs(trace_files_of(exporting->directory))));
    } else if (merging->parsed()) {
      merge(exporting->directory, *options);
    } else if (writing->parsed()) {
      export_trace(*exporting);
    } else if (const int code = run_program(*options); code != 0) {
      throw Exit{code};
    }
  });
}

}  // namespace laxity::cli
