#include "apps/laxity/trace/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>
#include <utility>

#include "laxity/metrics/table_writer.hpp"
#include "laxity/metrics/tables.hpp"
#include "laxity/trace/analysis/summary.hpp"

namespace laxity::cli {
namespace {

constexpr std::size_t max_calls = 100'000;  // rows of calls.csv; longer traces are sampled at equal intervals

// A text for a table: at most 200 characters; unusual ones are replaced.
std::string words(std::string_view text) {
  std::string result(text.substr(0, 200));
  for (char& letter : result) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(letter)) != 0;
    if (!is_plain && std::string_view("_.+:@/ -").find(letter) == std::string_view::npos) letter = '_';
  }
  return result.empty() ? "unknown" : result;
}

double microseconds(double time_ns) { return time_ns * 1e-3; }
double microseconds(std::int64_t time_ns) { return microseconds(static_cast<double>(time_ns)); }
double seconds(std::int64_t time_ns) { return static_cast<double>(time_ns) * 1e-9; }

bool ended(const trace::Job& job) {
  return std::all_of(job.processes.begin(), job.processes.end(),
                     [](const trace::ProcessTrace& process) { return process.end.has_value(); });
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

// The delays of one process in the calls of one collective on one communicator.
struct Delay {
  std::uint64_t calls = 0;
  double sum_ns = 0;
  std::int64_t max_ns = 0;
};

void add_delays(TableWriter<tables::delays>& table, std::size_t run, const trace::Job& job) {
  std::map<std::tuple<trace::Kind, trace::Start, std::uint32_t, std::uint32_t>, Delay> delays_of;
  for (const trace::CollectiveCall& call : job.calls) {
    const auto parts = job.of(call);
    const auto delays_ns = job.delays_ns(call);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Delay& delay = delays_of[{call.kind, call.start, call.communicator, parts[i].process}];
      ++delay.calls;
      delay.sum_ns += static_cast<double>(delays_ns[i]);
      delay.max_ns = std::max(delay.max_ns, delays_ns[i]);
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
        column<"every">(process.every), column<"calls">(job.recorded_calls()),
        column<"seconds">(seconds(summary.elapsed_ns) / static_cast<double>(job.processes.size())),
        column<"share_in_collectives">(summary.share_inside()), column<"share_waiting">(summary.share_waiting()),
        column<"one_clock">(job.one_clock ? 1 : 0), column<"status">(ended(job) ? "done" : "killed"));
    runs_table.flush();
  }
}

}  // namespace laxity::cli
