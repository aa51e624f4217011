#include "laxity/trace/analysis/summary.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace laxity::trace {
namespace {

// The time of a process in the MPI calls of one operation, and the part of it before `until_ns`.
struct Spent {
  std::int64_t inside_ns;
  std::int64_t waiting_ns;
};

Spent spent(const Call& call, std::int64_t until_ns) noexcept {
  const auto before = [until_ns](std::int64_t begin, std::int64_t end) {
    return std::max<std::int64_t>(0, std::min(end, until_ns) - begin);
  };
  if (call.start == Start::blocking) {
    return {call.exit_ns - call.arrival_ns, before(call.arrival_ns, call.exit_ns)};
  }
  // Starting an operation is not waiting. Completing it is, until the last process has started it.
  const std::int64_t starting_ns = call.return_ns - call.arrival_ns;
  if (!call.completed) return {starting_ns, 0};
  return {starting_ns + call.exit_ns - call.completing_ns, before(call.completing_ns, call.exit_ns)};
}

void add_to(ProcessSummary& process, const Call& call, const CallFigures& figures) {
  const Spent time = spent(call, figures.last_arrival_ns);
  ++process.calls;
  process.bytes_sent += call.bytes_sent;
  process.bytes_received += call.bytes_received;
  process.inside_ns += time.inside_ns;
  process.waiting_ns += time.waiting_ns;
  process.mean_delay_ns += static_cast<double>(call.arrival_ns - figures.first_arrival_ns);  // divided by calls later
}

void add_to(CollectiveSummary& sum, const Job& job, const CollectiveCall& call, const CallFigures& figures) {
  sum.min_bytes = sum.calls == 0 ? call.bytes : std::min(sum.min_bytes, call.bytes);
  sum.max_bytes = std::max(sum.max_bytes, call.bytes);
  ++sum.calls;
  sum.mean_bytes += static_cast<double>(call.bytes);  // the three means are divided by calls later
  sum.mean_skew_ns += static_cast<double>(figures.skew_ns());
  sum.mean_last_delay_ns += static_cast<double>(figures.last_delay_ns());
  sum.max_skew_ns = std::max(sum.max_skew_ns, figures.skew_ns());
  sum.inside_ns += figures.inside_ns;
  sum.waiting_ns += figures.waiting_ns;
  for (const Participation& part : job.of(call)) sum.bytes_sent += job.call_of(part).bytes_sent;
}

}  // namespace

CallFigures figures_of(const Job& job, const CollectiveCall& call) {
  CallFigures figures;
  const Call& first = job.call_of(job.of(call).front());
  figures.first_arrival_ns = figures.last_arrival_ns = figures.last_exit_ns = first.arrival_ns;
  for (const Participation& part : job.of(call)) {
    const Call& of_process = job.call_of(part);
    figures.first_arrival_ns = std::min(figures.first_arrival_ns, of_process.arrival_ns);
    figures.last_arrival_ns = std::max(figures.last_arrival_ns, of_process.arrival_ns);
    if (of_process.completed) figures.last_exit_ns = std::max(figures.last_exit_ns, of_process.exit_ns);
  }
  figures.last_exit_ns = std::max(figures.last_exit_ns, figures.last_arrival_ns);
  for (const Participation& part : job.of(call)) {
    const Spent time = spent(job.call_of(part), figures.last_arrival_ns);
    figures.inside_ns += time.inside_ns;
    figures.waiting_ns += time.waiting_ns;
  }
  return figures;
}

Summary summarize(const Job& job) {
  Summary summary;
  for (const ProcessTrace& trace : job.processes) {
    ProcessSummary process{.rank = trace.process.rank};
    process.elapsed_ns = trace.last_ns() - trace.process.start_ns;
    summary.processes.push_back(process);
  }
  std::map<std::tuple<Kind, Start, std::uint32_t>, CollectiveSummary> collectives;
  for (const CollectiveCall& call : job.calls) {
    const CallFigures figures = figures_of(job, call);
    CollectiveSummary& sum = collectives[{call.kind, call.start, call.communicator}];
    sum.kind = call.kind;
    sum.start = call.start;
    sum.communicator = call.communicator;
    add_to(sum, job, call, figures);
    for (const Participation& part : job.of(call)) {
      add_to(summary.processes[part.process], job.call_of(part), figures);
    }
  }
  for (auto& [key, sum] : collectives) {
    const auto calls = static_cast<double>(sum.calls);
    sum.mean_bytes /= calls;
    sum.mean_skew_ns /= calls;
    sum.mean_last_delay_ns /= calls;
    summary.collectives.push_back(sum);
  }
  std::stable_sort(summary.collectives.begin(), summary.collectives.end(),
                   [](const auto& a, const auto& b) { return a.inside_ns > b.inside_ns; });
  for (ProcessSummary& process : summary.processes) {
    if (process.calls > 0) process.mean_delay_ns /= static_cast<double>(process.calls);
    summary.elapsed_ns += process.elapsed_ns;
    summary.inside_ns += process.inside_ns;
    summary.waiting_ns += process.waiting_ns;
  }
  return summary;
}

}  // namespace laxity::trace
