// laxity trace: records the collective calls of an MPI program; summarizes, merges and exports traces.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/trace/export.hpp"
#include "apps/laxity/trace/print.hpp"
#include "apps/laxity/trace/run.hpp"
#include "apps/laxity/trace/traced_job.hpp"
#include "laxity/cli/command.hpp"

namespace laxity::cli {
namespace {

constexpr const char* trace_examples = R"(Examples:
  laxity trace -- mpirun -n 8 ./app               print a summary and write a run directory
  laxity trace --output runs/ft -- mpirun -n 8 ./ft
  laxity trace --every 100 --processes 0-15 -- srun ./app
                                                  record every hundredth call of sixteen ranks
  laxity trace summary runs/ft                    print the summary again
  laxity trace export runs/ft --format json --output ft.json
                                                  for ui.perfetto.dev or chrome://tracing
  laxity trace export runs/ft --format pattern    the mean arrival pattern, as a pattern file
  laxity trace export runs/ft --format goal --output ft.goal
                                                  the program as a message schedule, for laxity schedule run
  LD_PRELOAD=.../liblaxity_trace.so LAXITY_TRACE_DIR=traces mpirun -n 8 ./app
  laxity trace merge traces                       preload the tracer by hand, then make a run directory

The exit code is that of the program. The summary is written to standard error, so that the output of the program is
unchanged. Programs in C, C++, Fortran and Python are supported, with Open MPI, MPICH and libraries derived from MPICH.
)";

void add_run_options(Command& command, TraceOptions& options) {
  command.add_option("command", options.command, "The command, after --: an MPI launcher and its arguments")
      ->type_name("COMMAND");
  command.add_option("--output", options.output, "Run directory (default: runs/trace-<time>)");
  command.add_option("--every", options.every, "Record every k-th call on a communicator")->capture_default_str();
  command.add_option("--processes", options.processes, "Trace only these ranks, for example 0-3,8");
  command.add_flag("--report", options.report, "Write report.html at the end");
  command.add_flag("--quiet", options.quiet, "Print no summary");
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
  command->footer(trace_examples);
  auto options = std::make_shared<TraceOptions>();
  options->argc = argc;
  options->argv = argv;
  add_run_options(*command, *options);
  auto exporting = std::make_shared<TraceExport>();
  Command* summary = add_reader(*command, "summary", "Print the summary of a trace", exporting->directory);
  Command* merging =
      add_reader(*command, "merge", "Make a run directory of a folder of trace files", exporting->directory);
  Command* writing = add_reader(*command, "export", "Write a trace in the format of other tools", exporting->directory);
  writing->add_option("--format", exporting->format, "csv, json (Perfetto, Chrome), otf2, pattern, goal or goal-binary")
      ->one_of({"csv", "json", "otf2", "pattern", "goal", "goal-binary"})
      ->capture_default_str();
  writing->add_option("--output", exporting->output,
                      "File, or folder of otf2 and of several patterns (default: standard output)");
  writing->add_option("--per", exporting->per, "One pattern per application (mean over calls), call or call site")
      ->one_of({"application", "call", "site"})
      ->capture_default_str();
  writing->add_option("--collective", exporting->collective,
                      "Patterns of this collective (default: the one with the most time)");
  writing->add_option("--communicator", exporting->communicator,
                      "Patterns on this communicator, for example world or \"comm 1\"");
  writing
      ->add_option("--algorithms", exporting->algorithms,
                   "Algorithms in schedules (laxity schedule list), for example allreduce=ring,reduce=chain")
      ->delimiter(',');
  command->require_subcommand(0, 1);
  command->callback([=] {
    if (summary->parsed()) {
      const auto jobs = trace::read_jobs(trace_files_of(exporting->directory));
      std::vector<trace::Attribution> attributions;
      for (const trace::Job& job : jobs) attributions.push_back(attribute(job));
      fmt::print("{}", summary_text(jobs, attributions));
    } else if (merging->parsed()) {
      merge_traces(exporting->directory, options->argc, options->argv);
    } else if (writing->parsed()) {
      export_trace(*exporting);
    } else if (const int code = run_traced_program(*options); code != 0) {
      throw Exit{code};
    }
  });
}

}  // namespace laxity::cli
