#include "apps/laxity/trace/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string_view>
#include <utility>

#include "laxity/trace/analysis/summary.hpp"

namespace laxity::cli {
namespace {

enum Table : std::size_t { runs, collectives, processes, delays, calls };

constexpr std::size_t max_calls = 100'000;  // rows in calls.csv; beyond, every so many are left out
constexpr std::size_t max_lines = 12;       // of a list on the terminal

CsvTable open(const RunDirectory& directory, Table table) {
  const TableFormat& format = trace_table_formats()[table];
  return {directory.path() / format.file, format.columns};
}

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

void add_collectives(CsvTable& table, std::size_t run, const trace::Job& job, const trace::Summary& summary) {
  for (const trace::CollectiveSummary& sum : summary.collectives) {
    const trace::JobCommunicator& communicator = job.communicators[sum.communicator];
    table.add(run, trace::name_of(sum.kind), name_of(sum.start), communicator.name, communicator.size, sum.calls,
              sum.min_bytes, sum.mean_bytes, sum.max_bytes, sum.bytes_sent, seconds(sum.inside_ns),
              seconds(sum.waiting_ns), microseconds(sum.mean_skew_ns), microseconds(sum.max_skew_ns),
              microseconds(sum.mean_last_delay_ns));
  }
  table.flush();
}

void add_processes(CsvTable& table, std::size_t run, const trace::Job& job, const trace::Summary& summary) {
  for (std::size_t i = 0; i < summary.processes.size(); ++i) {
    const trace::ProcessSummary& process = summary.processes[i];
    table.add(run, process.rank, words(job.processes[i].process.host), process.calls, process.bytes_sent,
              process.bytes_received, seconds(process.elapsed_ns), seconds(process.inside_ns),
              seconds(process.waiting_ns), microseconds(process.mean_delay_ns));
  }
  table.flush();
}

/// Delays of one process behind the first, over the calls of one collective on one communicator.
struct Delay {
  std::uint64_t calls = 0;
  double sum_ns = 0;
  std::int64_t max_ns = 0;
};

void add_delays(CsvTable& table, std::size_t run, const trace::Job& job) {
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
    table.add(run, trace::name_of(kind), name_of(start), job.communicators[communicator].name,
              job.processes[process].process.rank, delay.calls,
              microseconds(delay.sum_ns / static_cast<double>(delay.calls)), microseconds(delay.max_ns));
  }
  table.flush();
}

void add_calls(CsvTable& table, std::size_t run, const trace::Job& job) {
  const std::size_t step = (job.calls.size() + max_calls - 1) / max_calls;
  for (std::size_t i = 0; i < job.calls.size(); i += step) {
    const trace::CollectiveCall& call = job.calls[i];
    const trace::CallFigures figures = figures_of(job, call);
    table.add(run, i, trace::name_of(call.kind), name_of(call.start), job.communicators[call.communicator].name,
              call.sequence, call.count, call.bytes, seconds(figures.first_arrival_ns - job.origin_ns()),
              microseconds(figures.skew_ns()), microseconds(figures.last_delay_ns()),
              microseconds(figures.total_delay_ns()), microseconds(figures.inside_ns),
              microseconds(figures.waiting_ns));
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

const std::vector<TableFormat>& trace_table_formats() {
  static const std::vector<TableFormat> formats{
      {"runs.csv",
       {"run", "job", "program", "mpi", "processes", "traced", "every", "calls", "seconds", "share_in_collectives",
        "share_waiting", "one_clock", "status"}},
      {"collectives.csv",
       {"run", "collective", "start", "communicator", "size", "calls", "min_bytes", "mean_bytes", "max_bytes",
        "bytes_sent", "inside_s", "waiting_s", "mean_skew_us", "max_skew_us", "mean_last_delay_us"}},
      {"processes.csv",
       {"run", "process", "host", "calls", "bytes_sent", "bytes_received", "elapsed_s", "inside_s", "waiting_s",
        "mean_delay_us"}},
      {"delays.csv",
       {"run", "collective", "start", "communicator", "process", "calls", "mean_delay_us", "max_delay_us"}},
      {"calls.csv",
       {"run", "call", "collective", "start", "communicator", "sequence", "processes", "bytes", "first_arrival_s",
        "skew_us", "last_delay_us", "total_delay_us", "inside_us", "waiting_us"}},
  };
  return formats;
}

void write_trace_tables(const RunDirectory& directory, const std::vector<trace::Job>& jobs) {
  CsvTable runs_table = open(directory, Table::runs);
  CsvTable collectives_table = open(directory, Table::collectives);
  CsvTable processes_table = open(directory, Table::processes);
  CsvTable delays_table = open(directory, Table::delays);
  CsvTable calls_table = open(directory, Table::calls);
  for (std::size_t run = 0; run < jobs.size(); ++run) {
    const trace::Job& job = jobs[run];
    const trace::Summary summary = summarize(job);
    add_collectives(collectives_table, run, job, summary);
    add_processes(processes_table, run, job, summary);
    add_delays(delays_table, run, job);
    add_calls(calls_table, run, job);
    const trace::Process& process = job.processes.front().process;
    runs_table.add(run, fmt::format("{:016x}", job.id), words(process.program), words(process.mpi), job.size,
                   job.processes.size(), process.every, recorded_calls(job),
                   seconds(summary.elapsed_ns) / static_cast<double>(job.processes.size()), summary.share_inside(),
                   summary.share_waiting(), job.one_clock ? 1 : 0, ended(job) ? "done" : "killed");
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
