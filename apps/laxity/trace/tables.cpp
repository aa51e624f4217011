#include "apps/laxity/trace/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "laxity/metrics/table_writer.hpp"
#include "laxity/metrics/tables.hpp"
#include "laxity/trace/analysis/attribution.hpp"

namespace laxity::cli {
namespace {

constexpr std::size_t max_calls =
    100'000;  // rows of calls.csv of one job; longer traces are sampled at equal intervals

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
double seconds(double time_ns) { return time_ns * 1e-9; }
double seconds(std::int64_t time_ns) { return seconds(static_cast<double>(time_ns)); }

bool ended(const trace::Job& job) {
  return std::all_of(job.processes.begin(), job.processes.end(),
                     [](const trace::TracedProcess& process) { return process.end.has_value(); });
}

void add_collectives(TableWriter<tables::collectives>& table, std::size_t run, const trace::Job& job,
                     const trace::Attribution& attribution) {
  for (std::size_t i = 0; i < attribution.collectives.size(); ++i) {
    const trace::CollectiveSummary& sum = attribution.summary.collectives[i];
    const trace::DividedTime& time = attribution.collectives[i].time;
    const trace::JobCommunicator& communicator = job.communicators[sum.communicator];
    table.add(column<"run">(run), column<"collective">(trace::name_of(sum.kind)), column<"start">(name_of(sum.start)),
              column<"communicator">(communicator.name), column<"size">(communicator.size), column<"calls">(sum.calls),
              column<"min_bytes">(sum.min_bytes), column<"mean_bytes">(sum.mean_bytes),
              column<"max_bytes">(sum.max_bytes), column<"bytes_sent">(sum.bytes_sent),
              column<"inside_s">(seconds(sum.inside_ns)), column<"waiting_s">(seconds(sum.waiting_ns)),
              column<"mean_skew_us">(microseconds(sum.mean_skew_ns)),
              column<"max_skew_us">(microseconds(sum.max_skew_ns)),
              column<"mean_last_delay_us">(microseconds(sum.mean_last_delay_ns)),
              column<"transfer_s">(seconds(time.transfer_ns)), column<"late_s">(seconds(time.waiting_ns)),
              column<"late_low_s">(seconds(time.waiting_low_ns)), column<"late_high_s">(seconds(time.waiting_high_ns)),
              column<"unknown_s">(seconds(time.unknown_ns)));
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

void add_delays(TableWriter<tables::delays>& table, std::size_t run, const trace::Job& job,
                const trace::Summary& summary) {
  for (const trace::CollectiveSummary& sum : summary.collectives) {
    for (const trace::ProcessDelay& delay : sum.delays) {
      table.add(column<"run">(run), column<"collective">(trace::name_of(sum.kind)), column<"start">(name_of(sum.start)),
                column<"communicator">(job.communicators[sum.communicator].name),
                column<"process">(job.processes[delay.process].process.rank), column<"calls">(delay.calls),
                column<"mean_delay_us">(microseconds(delay.mean_ns)),
                column<"max_delay_us">(microseconds(delay.max_ns)));
    }
  }
  table.flush();
}

void add_lateness(TableWriter<tables::lateness>& table, std::size_t run, const trace::Job& job,
                  const trace::Attribution& attribution) {
  for (std::size_t i = 0; i < attribution.collectives.size(); ++i) {
    const trace::CollectiveSummary& sum = attribution.summary.collectives[i];
    for (const trace::Lateness& late : attribution.collectives[i].late) {
      const auto by = [&late](trace::Cause cause) { return seconds(late.of(cause)); };
      table.add(column<"run">(run), column<"collective">(trace::name_of(sum.kind)), column<"start">(name_of(sum.start)),
                column<"communicator">(job.communicators[sum.communicator].name),
                column<"process">(job.processes[late.process].process.rank), column<"calls">(late.calls),
                column<"waiting_s">(seconds(late.direct_ns())), column<"work_s">(by(trace::Cause::work)),
                column<"noise_s">(by(trace::Cause::noise)), column<"earlier_s">(by(trace::Cause::earlier)),
                column<"unknown_s">(by(trace::Cause::unknown)), column<"propagated_s">(seconds(late.propagated_ns)));
    }
  }
  table.flush();
}

// Every k-th call of a job, where k is the smallest power of two that leaves at most max_calls.
class CallSample {
 public:
  struct Row {
    std::uint64_t number;
    trace::Kind kind;
    trace::Start start;
    std::uint32_t communicator;
    std::uint64_t sequence, bytes;
    std::size_t processes;
    trace::CallFigures figures;
    std::uint32_t late;
    std::string_view largest;
  };

  void add(const trace::CollectiveCall& call, const trace::CallFigures& figures,
           const trace::CallAttribution& attribution) {
    const std::uint64_t number = calls_++;
    if (number % step_ != 0) return;
    if (rows_.size() == max_calls) {
      step_ *= 2;
      std::erase_if(rows_, [this](const Row& row) { return row.number % step_ != 0; });
      if (number % step_ != 0) return;
    }
    rows_.push_back({number, call.kind, call.start, call.communicator, call.sequence, call.bytes, call.parts.size(),
                     figures, attribution.late, attribution.largest()});
  }
  [[nodiscard]] const std::vector<Row>& rows() const noexcept { return rows_; }

 private:
  std::vector<Row> rows_;
  std::uint64_t calls_ = 0, step_ = 1;
};

void add_calls(TableWriter<tables::calls>& table, std::size_t run, const trace::Job& job, const CallSample& sample) {
  for (const CallSample::Row& row : sample.rows()) {
    const trace::CallFigures& figures = row.figures;
    table.add(column<"run">(run), column<"call">(row.number), column<"collective">(trace::name_of(row.kind)),
              column<"start">(name_of(row.start)), column<"communicator">(job.communicators[row.communicator].name),
              column<"sequence">(row.sequence), column<"processes">(row.processes), column<"bytes">(row.bytes),
              column<"first_arrival_s">(seconds(figures.first_arrival_ns - job.origin_ns())),
              column<"skew_us">(microseconds(figures.skew_ns())),
              column<"last_delay_us">(microseconds(figures.last_delay_ns())),
              column<"total_delay_us">(microseconds(figures.total_delay_ns())),
              column<"inside_us">(microseconds(figures.inside_ns)),
              column<"waiting_us">(microseconds(figures.waiting_ns)),
              column<"late">(job.processes[row.late].process.rank), column<"largest">(row.largest));
  }
  table.flush();
}

}  // namespace

std::vector<trace::Attribution> write_trace_tables(const RunDirectory& directory, const std::vector<trace::Job>& jobs) {
  TableWriter<tables::trace_runs> runs_table(directory.path());
  TableWriter<tables::collectives> collectives_table(directory.path());
  TableWriter<tables::processes> processes_table(directory.path());
  TableWriter<tables::delays> delays_table(directory.path());
  TableWriter<tables::calls> calls_table(directory.path());
  TableWriter<tables::lateness> lateness_table(directory.path());
  std::vector<trace::Attribution> attributions;
  for (std::size_t run = 0; run < jobs.size(); ++run) {
    const trace::Job& job = jobs[run];
    CallSample sample;
    attributions.push_back(attribute(job, [&sample](const auto&... of_call) { sample.add(of_call...); }));
    const trace::Summary& summary = attributions.back().summary;
    add_collectives(collectives_table, run, job, attributions.back());
    add_processes(processes_table, run, job, summary);
    add_delays(delays_table, run, job, summary);
    add_calls(calls_table, run, job, sample);
    add_lateness(lateness_table, run, job, attributions.back());
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
  return attributions;
}

}  // namespace laxity::cli
