#include "laxity/trace/analysis/job.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "laxity/error.hpp"
#include "laxity/trace/detail/call_join.hpp"

namespace laxity::trace {
namespace {

TracedProcess read_process(const std::string& path) {
  TracedProcess process{{TraceReader(path).read_definitions()}, path, {}, {}};
  process.to_global = ToGlobalClock(process.clock);
  process.process.start_ns = process.to_global(process.process.start_ns);
  process.last_ns = process.to_global(process.last_ns);
  if (process.end) process.end->at_ns = process.to_global(process.end->at_ns);
  return process;
}

bool have_one_clock(const std::vector<TracedProcess>& processes) {
  const std::uint64_t clock = processes.front().process.clock;
  return std::all_of(processes.begin(), processes.end(), [clock](const TracedProcess& traced) {
    const bool synchronized = !traced.clock.empty() && traced.clock.front().synchronized;
    return synchronized || (clock != 0 && traced.process.clock == clock);
  });
}

// Numbers the communicators of all processes and names them.
void join_communicators(Job& job) {
  const auto& of_first = job.processes.front().communicators;
  const std::uint64_t world = of_first.empty() ? 0 : of_first.front().id;
  std::map<std::uint64_t, std::uint32_t> number;
  int named = 0;
  for (TracedProcess& process : job.processes) {
    for (const Communicator& made : process.communicators) {
      const auto [known, is_new] = number.try_emplace(made.id, static_cast<std::uint32_t>(number.size()));
      if (is_new) {
        const std::string name = made.id == world ? "world" : "comm " + std::to_string(++named);
        job.communicators.push_back({.id = made.id, .size = made.size + made.remote_size, .traced = 0, .name = name});
      }
      ++job.communicators[known->second].traced;
      process.communicator_of.push_back(known->second);
    }
  }
}

void add_notes(Job& job) {
  const std::size_t traced = job.processes.size();
  if (traced < job.size) {
    job.notes.push_back(std::to_string(traced) + " of " + std::to_string(job.size) + " processes were traced");
  }
  const auto ended = std::count_if(job.processes.begin(), job.processes.end(),
                                   [](const TracedProcess& process) { return process.end.has_value(); });
  if (static_cast<std::size_t>(ended) < traced) {
    job.notes.push_back(std::to_string(traced - static_cast<std::size_t>(ended)) +
                        " processes did not reach MPI_Finalize");
  }
  std::string settings;
  for (const Setting& setting : job.processes.front().settings) {
    settings.append(settings.empty() ? "" : ", ").append(setting.name).append("=").append(setting.value);
  }
  if (!settings.empty()) job.notes.push_back("environment variables forced algorithms: " + settings);
  if (!job.one_clock) {
    job.notes.emplace_back("the clocks of the processes were not synchronized: the skew is meaningless");
  }
}

}  // namespace

ToGlobalClock::ToGlobalClock(const std::vector<ClockPoint>& points) {
  if (points.empty()) return;
  const ClockPoint& first = points.front();
  const ClockPoint& last = points.back();
  origin_ns_ = first.at_ns;
  offset_ns_ = first.offset_ns;
  slope_ = first.slope;
  if (last.at_ns > first.at_ns) {
    slope_ = (last.offset_ns - first.offset_ns) / static_cast<double>(last.at_ns - first.at_ns);
  }
  const bool is_plausible = std::isfinite(offset_ns_) && std::abs(offset_ns_) < 9e18 && std::abs(slope_) < 1;
  is_identity_ = !is_plausible || (offset_ns_ == 0 && slope_ == 0);
}

std::int64_t ToGlobalClock::convert(std::int64_t time_ns) const noexcept {
  const auto since = static_cast<double>(time_ns) - static_cast<double>(origin_ns_);
  const double correction = std::clamp(offset_ns_ + slope_ * since, -9e18, 9e18);
  // Unsigned arithmetic: times near the ends of the range, as in a malformed file, wrap around.
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(time_ns) +
                                   static_cast<std::uint64_t>(std::llrint(correction)));
}

double TracedProcess::clock_error_ns() const noexcept {
  double error_ns = 0;
  for (const ClockPoint& point : clock) error_ns = std::max(error_ns, point.error_ns);
  const bool synchronized = !clock.empty() && clock.front().synchronized;
  return synchronized || process.rank == 0 ? error_ns : std::numeric_limits<double>::infinity();
}

std::int64_t CollectiveCall::first_arrival_ns() const noexcept {
  std::int64_t first = parts.front().call.arrival_ns;
  for (const Participation& part : parts) first = std::min(first, part.call.arrival_ns);
  return first;
}

std::vector<std::int64_t> CollectiveCall::delays_ns() const {
  const std::int64_t first = first_arrival_ns();
  std::vector<std::int64_t> delays;
  for (const Participation& part : parts) delays.push_back(part.call.arrival_ns - first);
  return delays;
}

std::uint64_t Job::for_each_call(const VisitCall& visit) const { return detail::CallJoin(*this, visit).run(); }

std::uint64_t Job::recorded_calls() const noexcept {
  std::uint64_t sum = 0;
  for (const TracedProcess& process : processes) sum += process.calls;
  return sum;
}

std::int64_t Job::origin_ns() const noexcept {
  std::int64_t origin = processes.front().process.start_ns;
  for (const TracedProcess& process : processes) origin = std::min(origin, process.process.start_ns);
  return origin;
}

std::uint64_t message_bytes(const Call& call, const Communicator& communicator) noexcept {
  const std::uint64_t partners = communicator.remote_size != 0 ? communicator.remote_size : communicator.size;
  switch (call.kind) {
    case Kind::bcast:
      return std::max(call.bytes_sent, call.bytes_received);
    case Kind::scatter:
    case Kind::scatterv:
      return call.bytes_received;
    case Kind::alltoall:
    case Kind::alltoallv:
    case Kind::alltoallw:
      return call.bytes_sent / std::max<std::uint64_t>(1, partners);
    default:
      return call.bytes_sent;
  }
}

namespace {

Job job_of(std::vector<TracedProcess> processes) {
  Job job;
  std::sort(processes.begin(), processes.end(),
            [](const TracedProcess& a, const TracedProcess& b) { return a.process.rank < b.process.rank; });
  job.id = processes.front().process.job;
  job.size = processes.front().process.size;
  for (std::size_t i = 1; i < processes.size(); ++i) {
    const std::uint32_t rank = processes[i].process.rank;
    if (rank == processes[i - 1].process.rank) throw Error("two processes have rank " + std::to_string(rank));
  }
  job.one_clock = have_one_clock(processes);
  job.processes = std::move(processes);
  join_communicators(job);
  add_notes(job);
  return job;
}

}  // namespace

std::vector<Job> read_jobs(const std::filesystem::path& folder) {
  std::map<std::uint64_t, std::vector<TracedProcess>> by_job;
  std::vector<std::string> unread;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".lxtrace") continue;
    if (entry.is_regular_file() && entry.file_size() == 0) {  // the process was killed after it created the file
      unread.push_back(entry.path().filename().string() + " is empty and left out");
      continue;
    }
    TracedProcess process = read_process(entry.path().string());
    by_job[process.process.job].push_back(std::move(process));
  }
  if (error) throw UsageError(folder.string() + ": " + error.message());
  if (by_job.empty()) throw UsageError(folder.string() + ": contains no trace files (*.lxtrace)");
  std::vector<Job> jobs;
  for (auto& [id, processes] : by_job) jobs.push_back(job_of(std::move(processes)));
  std::sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) { return a.origin_ns() < b.origin_ns(); });
  jobs.front().notes.insert(jobs.front().notes.end(), unread.begin(), unread.end());
  return jobs;
}

}  // namespace laxity::trace
