#include "apps/laxity/trace/export.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <optional>
#include <string_view>
#include <vector>

#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/trace/traced_job.hpp"
#include "apps/laxity/trace/traced_schedule.hpp"
#include "laxity/cli/command.hpp"
#include "laxity/cli/python_interpreter.hpp"
#include "laxity/collective/patterns/pattern_file.hpp"
#include "laxity/error.hpp"
#include "laxity/metrics/csv_table.hpp"
#include "laxity/schedule/goal_file.hpp"
#include "laxity/trace/analysis/arrival_patterns.hpp"
#include "laxity/trace/analysis/export.hpp"

namespace laxity::cli {
namespace {

using Jobs = std::vector<trace::Job>;

// Writes to the output file, or to standard output.
void write_with(const TraceExport& options, const Jobs& jobs, void (*write)(const Jobs&, std::ostream&)) {
  if (options.output.empty()) {
    write(jobs, std::cout);
    std::cout.flush();
    if (!std::cout) throw Error("standard output cannot be written");
    return;
  }
  std::ofstream file(options.output, std::ios::binary | std::ios::trunc);
  if (file) write(jobs, file);
  file.close();
  if (!file) throw SystemError("write(" + options.output + ")", errno);
}

// The Python package writes the archive from the table of all calls.
void export_otf2(const TraceExport& options, const Jobs& jobs) {
  if (options.output.empty()) throw UsageError("--format otf2 writes a folder: expected --output FOLDER");
  if (std::filesystem::exists(options.output)) throw UsageError(options.output + ": exists already");
  TraceExport table = options;
  table.output = options.output + ".calls.csv";
  write_with(table, jobs, trace::write_csv);
  const int code = run_python_laxity({"otf2", table.output, "--output", options.output});
  std::filesystem::remove(table.output);
  if (code != 0) throw Exit{code};
}

trace::Selection select_calls(const TraceExport& options, const trace::Job& job) {
  std::optional<trace::Kind> kind;
  if (!options.collective.empty()) {
    kind = trace::kind_named(options.collective);
    if (!kind) throw UsageError("--collective " + options.collective + ": not a collective of MPI");
  }
  const auto longest = trace::longest_selection(job, kind);
  if (!longest) throw UsageError("the trace has no such call");
  if (options.communicator.empty()) return *longest;
  for (std::uint32_t i = 0; i < job.communicators.size(); ++i) {
    if (job.communicators[i].name == options.communicator) return {longest->kind, i};
  }
  throw UsageError("--communicator " + options.communicator +
                   ": the trace has no such communicator; the summary lists them");
}

void export_patterns(const TraceExport& options, const Jobs& jobs) {
  const trace::Job& job = largest_job(jobs);
  const trace::Selection selection = select_calls(options, job);
  if (options.per == "application") {
    const std::string text = collective::format_pattern(mean_pattern(job, selection));
    if (options.output.empty()) {
      std::cout << text;
    } else {
      replace_file(options.output, text);
    }
    return;
  }
  if (options.output.empty())
    throw UsageError("--per " + options.per + " writes several files: expected --output FOLDER");
  std::filesystem::create_directories(options.output);
  for (const auto& pattern : options.per == "call" ? call_patterns(job, selection) : site_patterns(job, selection)) {
    std::string file = pattern.name + ".txt";
    file[file.find(' ')] = '_';
    replace_file(std::filesystem::path(options.output) / file, collective::format_pattern(pattern));
  }
}

void export_goal(const TraceExport& options, const Jobs& jobs) {
  const TracedSchedule traced = traced_schedule(largest_job(jobs), chosen_algorithms(options.algorithms));
  const std::string text =
      options.format == "goal" ? format_goal(traced.schedule) : format_goal_binary(traced.schedule);
  if (options.output.empty()) {
    std::cout << text;
  } else {
    replace_file(options.output, text);
  }
  if (traced.left_out == 0) return;
  fmt::print(stderr, "{} of {} calls have no schedule: their time counts as computing\n", traced.left_out,
             traced.calls + traced.left_out);
}

}  // namespace

void export_trace(const TraceExport& options) {
  const Jobs jobs = trace::read_jobs(trace_files_of(options.directory));
  if (options.format == "csv") write_with(options, jobs, trace::write_csv);
  if (options.format == "json") write_with(options, jobs, trace::write_chrome_json);
  if (options.format == "otf2") export_otf2(options, jobs);
  if (options.format == "pattern") export_patterns(options, jobs);
  if (options.format.starts_with("goal")) export_goal(options, jobs);
}

}  // namespace laxity::cli
