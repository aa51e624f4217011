#include "apps/laxity/trace/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string_view>
#include <utility>

#include "laxity/metrics/table_writer.hpp"
#include "laxity/metrics/tables.hpp"
#include "laxity/trace/analysis/summary.hpp"

namespace laxity::cli {
namespace {

constexpr std::size_t max_calls = 100'000;  // rows in calls.csv; a longer trace is sampled evenly
constexpr std::size_t max_lines = 12;       // of a list on the terminal

/// A text as tables may hold it: words of at most 200 letters, anything unusual replaced.
std::string words(std::string_view text) {
  std::string result(text.substr(0, 200));
  for (char& letter : result) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(letter)) != 0;
    if (!is_plain && std::string_view("_.+:@/ -").find(letter) == std::string_view::npos) letter = '_';
  }
  return result.empty() ? "unknown" : result;
}

double microseconds(double time_ns) { return time_ns * 1e-3; }
double microseconds(std::int64_t time_ns) { return static_cast<double>(time_ns) * 1e-3; }
double seconds(std::int64_t time_ns) { return static_cast<double>(time_ns) * 1e-9; }

bool ended(const trace::Job& job) {
  return std::all_of(job.processes.begin(), job.processes.end(),
                     [](const trace::ProcessTrace& process) { return process.end.has_value(); });
}

std::uint64_t recorded_calls(const trace::Job& job) {
  std::uint64_t sum = 0;
  for (const trace::ProcessTrace& process : job.processes) sum += process.calls.size();
  return sum;
}

void add_collectives(TableWriter<tables::collectives>& table, std::size_t run, const trace::Job& job,
                     const trace::Summary& summary) {
  for (const trace::CollectiveSummary& sum : summary.collectives) {
    const trace::JobCommunicator& communicator = job.communicators[sum.communicator];
    table.add(column<"run">(run), column<"collective">(trace::name_of(sum.kind)), column<"start">(name_of(sum.start)),
              column<"communicator">(communicator.name), column<"size">(communicator.size), column<"calls">(sum.calls),
              column<"min_bytes">(sum.min_bytes), column<"mean_bytes">(sum.mean_bytes),
              column<"max_bytes">(sum.max_bytes), column<"bytes_sent">(sum.bytes_sent),
              column<"inside_s">(seconds(sum.inside_ns)), column<"waiting_s">(seconds(sum.waiting_ns)),
              column<"mean_skew_us">(microseconds(sum.mean_skew_ns)),
              column<"max_skew_us">(microseconds(sum.max_skew_ns)),
              column<"mean_last_delay_us">(microseconds(sum.mean_last_delay_ns)));
  }
  table.flush();
}

void add_processes(TableWriter<tables::processes>& table, std::size_t run, const trace::Job& job,
                   const trace::Summary& summary) {
  for (std::size_t i = 0; i < summary.processes.size(); ++i) {
    const trace::ProcessSummary& process = summary.processes[i];
    table.add(column<"run">(run), column<"process">(process.rank), column<"host">(words(job.processes[i].process.host)),
              column<"calls">(process.calls), column<"bytes_sent">(process.bytes_sent),
              column<"bytes_received">(process.bytes_received), column<"elapsed_s">(seconds(process.elapsed_ns)),
              column<"inside_s">(seconds(process.inside_ns)), column<"waiting_s">(seconds(process.waiting_ns)),
              column<"mean_delay_us">(microseconds(process.mean_delay_ns)));
  }
  table.flush();
}

/// Delays of one process behind the first, over the calls of one collective on one communicator.
struct Delay {
  std::uint64_t calls = 0;
  double sum_ns = 0;
  std::int64_t max_ns = 0;
};

void add_delays(TableWriter<tables::delays>& table, std::size_t run, const trace::Job& job) {
  std::map<std::tuple<trace::Kind, trace::Start, std::uint32_t, std::uint32_t>, Delay> delays_of;
  for (const trace::CollectiveCall& call : job.calls) {
    const std::int64_t first_ns = figures_of(job, call).first_arrival_ns;
    for (const trace::Participation& part : job.of(call)) {
      Delay& delay = delays_of[{call.kind, call.start, call.communicator, part.process}];
      const std::int64_t behind_ns = job.call_of(part).arrival_ns - first_ns;
      ++delay.calls;
      delay.sum_ns += static_cast<double>(behind_ns);
      delay.max_ns = std::max(delay.max_ns, behind_ns);
    }
  }
  for (const auto& [key, delay] : delays_of) {
    const auto& [kind, start, communicator, process] = key;
    table.add(column<"run">(run), column<"collective">(trace::name_of(kind)), column<"start">(name_of(start)),
              column<"communicator">(job.communicators[communicator].name),
              column<"process">(job.processes[process].process.rank), column<"calls">(delay.calls),
              column<"mean_delay_us">(microseconds(delay.sum_ns / static_cast<double>(delay.calls))),
              column<"max_delay_us">(microseconds(delay.max_ns)));
  }
  table.flush();
}

void add_calls(TableWriter<tables::calls>& table, std::size_t run, const trace::Job& job) {
  const std::size_t step = (job.calls.size() + max_calls - 1) / max_calls;
  for (std::size_t i = 0; i < job.calls.size(); i += step) {
    const trace::CollectiveCall& call = job.calls[i];
    const trace::CallFigures figures = figures_of(job, call);
    table.add(column<"run">(run), column<"call">(i), column<"collective">(trace::name_of(call.kind)),
              column<"start">(name_of(call.start)), column<"communicator">(job.communicators[call.communicator].name),
              column<"sequence">(call.sequence), column<"processes">(call.count), column<"bytes">(call.bytes),
              column<"first_arrival_s">(seconds(figures.first_arrival_ns - job.origin_ns())),
              column<"skew_us">(microseconds(figures.skew_ns())),
              column<"last_delay_us">(microseconds(figures.last_delay_ns())),
              column<"total_delay_us">(microseconds(figures.total_delay_ns())),
              column<"inside_us">(microseconds(figures.inside_ns)),
              column<"waiting_us">(microseconds(figures.waiting_ns)));
  }
  table.flush();
}

std::string bytes_text(const trace::CollectiveSummary& sum) {
  if (sum.min_bytes == sum.max_bytes) return fmt::format("{}", sum.min_bytes);
  return fmt::format("{}-{}", sum.min_bytes, sum.max_bytes);
}

void add_text(std::string& text, const trace::Job& job) {
  const trace::Summary summary = summarize(job);
  text += fmt::format(
      "{} of {} processes, {} calls recorded, {:.3g} s; {:.1f} % of the time in collectives, {:.1f} % of that waiting "
      "for the last\n",
      job.processes.size(), job.size, recorded_calls(job),
      seconds(summary.elapsed_ns) / static_cast<double>(job.processes.size()), 100 * summary.share_inside(),
      100 * summary.share_waiting());
  text += fmt::format("  {:<32} {:>9} {:>5} {:>9} {:>14} {:>8} {:>9} {:>12} {:>12}\n", "collective", "on", "size",
                      "calls", "bytes", "time", "waiting", "skew, mean", "last delay");
  const std::size_t shown = std::min(max_lines, summary.collectives.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const trace::CollectiveSummary& sum = summary.collectives[i];
    const std::string title = std::string(sum.start == trace::Start::blocking      ? ""
                                          : sum.start == trace::Start::nonblocking ? "i"
                                                                                   : "start of ") +
                              std::string(trace::name_of(sum.kind));
    const double share =
        summary.elapsed_ns > 0 ? static_cast<double>(sum.inside_ns) / static_cast<double>(summary.elapsed_ns) : 0;
    const double waiting =
        sum.inside_ns > 0 ? static_cast<double>(sum.waiting_ns) / static_cast<double>(sum.inside_ns) : 0;
    text += fmt::format("  {:<32} {:>9} {:>5} {:>9} {:>14} {:>6.1f} % {:>7.1f} % {:>9.1f} us {:>9.1f} us\n", title,
                        job.communicators[sum.communicator].name, job.communicators[sum.communicator].size, sum.calls,
                        bytes_text(sum), 100 * share, 100 * waiting, microseconds(sum.mean_skew_ns),
                        microseconds(sum.mean_last_delay_ns));
  }
  if (shown < summary.collectives.size()) {
    text += fmt::format("  and {} more\n", summary.collectives.size() - shown);
  }
  text += "  process  mean delay  in collectives  waiting\n";
  for (std::size_t i = 0; i < std::min(max_lines, summary.processes.size()); ++i) {
    const trace::ProcessSummary& process = summary.processes[i];
    const double share =
        process.elapsed_ns > 0 ? static_cast<double>(process.inside_ns) / static_cast<double>(process.elapsed_ns) : 0;
    const double waiting =
        process.inside_ns > 0 ? static_cast<double>(process.waiting_ns) / static_cast<double>(process.inside_ns) : 0;
    text += fmt::format("  {:>7} {:>8.1f} us {:>12.1f} % {:>6.1f} %\n", process.rank,
                        microseconds(process.mean_delay_ns), 100 * share, 100 * waiting);
  }
  if (max_lines < summary.processes.size()) {
    text += fmt::format("  and {} more\n", summary.processes.size() - max_lines);
  }
  for (const std::string& note : job.notes) text += "  note: " + note + '\n';
}

}  // namespace

void write_trace_tables(const RunDirectory& directory, const std::vector<trace::Job>& jobs) {
  TableWriter<tables::trace_runs> runs_table(directory.path());
  TableWriter<tables::collectives> collectives_table(directory.path());
  TableWriter<tables::processes> processes_table(directory.path());
  TableWriter<tables::delays> delays_table(directory.path());
  TableWriter<tables::calls> calls_table(directory.path());
  for (std::size_t run = 0; run < jobs.size(); ++run) {
    const trace::Job& job = jobs[run];
    const trace::Summary summary = summarize(job);
    add_collectives(collectives_table, run, job, summary);
    add_processes(processes_table, run, job, summary);
    add_delays(delays_table, run, job);
    add_calls(calls_table, run, job);
    const trace::Process& process = job.processes.front().process;
    runs_table.add(
        column<"run">(run), column<"job">(fmt::format("{:016x}", job.id)), column<"program">(words(process.program)),
        column<"mpi">(words(process.mpi)), column<"processes">(job.size), column<"traced">(job.processes.size()),
        column<"every">(process.every), column<"calls">(recorded_calls(job)),
        column<"seconds">(seconds(summary.elapsed_ns) / static_cast<double>(job.processes.size())),
        column<"share_in_collectives">(summary.share_inside()), column<"share_waiting">(summary.share_waiting()),
        column<"one_clock">(job.one_clock ? 1 : 0), column<"status">(ended(job) ? "done" : "killed"));
    runs_table.flush();
  }
}

std::string summary_text(const std::vector<trace::Job>& jobs) {
  std::string text;
  for (const trace::Job& job : jobs) add_text(text, job);
  const bool alone =
      jobs.size() > 1 && std::all_of(jobs.begin(), jobs.end(), [](const auto& job) { return job.size == 1; });
  if (alone) text += "note: every process was alone: the launcher belongs to another MPI than the program\n";
  return text;
}

}  // namespace laxity::cli
