#include "apps/laxity/trace/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace laxity::cli {
namespace {

constexpr std::size_t max_lines = 12;  // of a list
constexpr std::size_t max_late = 6;    // late processes

double percent(double share) { return 100 * share; }

std::string bytes_text(const trace::CollectiveSummary& sum) {
  if (sum.min_bytes == sum.max_bytes) return fmt::format("{}", sum.min_bytes);
  return fmt::format("{}-{}", sum.min_bytes, sum.max_bytes);
}

// What the time in collectives was, and for whom the others waited.
void add_lateness(std::string& text, const trace::Job& job, const trace::Attribution& attribution) {
  const trace::DividedTime& time = attribution.time;
  const double whole = std::max(1.0, time.transfer_ns + time.waiting_ns + time.unknown_ns);
  const auto share = [whole](double part_ns) { return percent(part_ns / whole); };
  text += fmt::format(
      "  time in collectives: {:.1f} % transfer, {:.1f} % waiting for late processes (between {:.1f} and {:.1f} %), "
      "{:.1f} % unknown\n",
      share(time.transfer_ns), share(time.waiting_ns), share(time.waiting_low_ns), share(time.waiting_high_ns),
      share(time.unknown_ns));
  if (attribution.late.empty()) return;
  text += "  late process      calls  waiting of others     work    noise  earlier  unknown  caused in all\n";
  const std::size_t shown = std::min(max_late, attribution.late.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const trace::Lateness& late = attribution.late[i];
    const double direct_ns = std::max(1.0, late.direct_ns());
    text += fmt::format("  {:>12} {:>10} {:>16.1f} %", job.processes[late.process].process.rank, late.calls,
                        share(late.direct_ns()));
    for (const double by_cause : late.waiting_ns) text += fmt::format(" {:>6.1f} %", percent(by_cause / direct_ns));
    text += fmt::format(" {:>12.1f} %\n", share(late.caused_ns()));
  }
  if (shown < attribution.late.size()) text += fmt::format("  and {} more\n", attribution.late.size() - shown);
}

void add_text(std::string& text, const trace::Job& job, const trace::Attribution& attribution) {
  const trace::Summary& summary = attribution.summary;
  text += fmt::format(
      "{} of {} processes, {} calls recorded, {:.3g} s; {:.1f} % of the time in collectives, {:.1f} % of that waiting "
      "for the last process\n",
      job.processes.size(), job.size, job.recorded_calls(),
      static_cast<double>(summary.elapsed_ns) * 1e-9 / static_cast<double>(job.processes.size()),
      percent(summary.share_inside()), percent(summary.share_waiting()));
  text += fmt::format("  {:<32} {:>9} {:>5} {:>9} {:>14} {:>8} {:>9} {:>12} {:>12}\n", "collective", "on", "size",
                      "calls", "bytes", "time", "waiting", "skew, mean", "last delay");
  const std::size_t shown = std::min(max_lines, summary.collectives.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const trace::CollectiveSummary& sum = summary.collectives[i];
    const std::string title = std::string(sum.start == trace::Start::blocking      ? ""
                                          : sum.start == trace::Start::nonblocking ? "i"
                                                                                   : "start of ") +
                              std::string(trace::name_of(sum.kind));
    text += fmt::format("  {:<32} {:>9} {:>5} {:>9} {:>14} {:>6.1f} % {:>7.1f} % {:>9.1f} us {:>9.1f} us\n", title,
                        job.communicators[sum.communicator].name, job.communicators[sum.communicator].size, sum.calls,
                        bytes_text(sum), percent(trace::fraction(sum.inside_ns, summary.elapsed_ns)),
                        percent(trace::fraction(sum.waiting_ns, sum.inside_ns)), sum.mean_skew_ns * 1e-3,
                        sum.mean_last_delay_ns * 1e-3);
  }
  if (shown < summary.collectives.size()) {
    text += fmt::format("  and {} more\n", summary.collectives.size() - shown);
  }
  text += "  process  mean delay  in collectives  waiting\n";
  for (std::size_t i = 0; i < std::min(max_lines, summary.processes.size()); ++i) {
    const trace::ProcessSummary& process = summary.processes[i];
    text += fmt::format("  {:>7} {:>8.1f} us {:>12.1f} % {:>6.1f} %\n", process.rank, process.mean_delay_ns * 1e-3,
                        percent(trace::fraction(process.inside_ns, process.elapsed_ns)),
                        percent(trace::fraction(process.waiting_ns, process.inside_ns)));
  }
  if (max_lines < summary.processes.size()) {
    text += fmt::format("  and {} more\n", summary.processes.size() - max_lines);
  }
  add_lateness(text, job, attribution);
  for (const std::string& note : job.notes) text += "  note: " + note + '\n';
  if (summary.left_out > 0) {
    text += fmt::format(
        "  note: {} calls are left out, because other processes called another collective at the same place\n",
        summary.left_out);
  }
}

}  // namespace

std::string summary_text(const std::vector<trace::Job>& jobs, const std::vector<trace::Attribution>& attributions) {
  std::string text;
  for (std::size_t i = 0; i < jobs.size(); ++i) add_text(text, jobs[i], attributions[i]);
  const bool alone =
      jobs.size() > 1 && std::all_of(jobs.begin(), jobs.end(), [](const auto& job) { return job.size == 1; });
  if (alone) text += "note: every process is alone in its job: the launcher belongs to another MPI than the program\n";
  return text;
}

}  // namespace laxity::cli
