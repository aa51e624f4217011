#include "laxity/trace/analysis/job.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "laxity/error.hpp"

namespace laxity::trace {
namespace {

// The linear map from a process's clock to the global clock, through the clock points after MPI_Init and before
// MPI_Finalize.
class ToGlobalClock {
 public:
  explicit ToGlobalClock(const std::vector<ClockPoint>& points) {
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
    if (!is_plausible) offset_ns_ = slope_ = 0;
  }

  void apply(std::int64_t& time_ns) const {
    const auto since = static_cast<double>(time_ns) - static_cast<double>(origin_ns_);
    const double correction = std::clamp(offset_ns_ + slope_ * since, -9e18, 9e18);
    // Unsigned arithmetic: times near the ends of the range, as in a malformed file, wrap around.
    time_ns = static_cast<std::int64_t>(static_cast<std::uint64_t>(time_ns) +
                                        static_cast<std::uint64_t>(std::llrint(correction)));
  }

 private:
  std::int64_t origin_ns_ = 0;
  double offset_ns_ = 0;
  double slope_ = 0;
};

void convert_to_global_time(ProcessTrace& trace) {
  const ToGlobalClock to_global(trace.clock);
  to_global.apply(trace.process.start_ns);
  if (trace.end) to_global.apply(trace.end->at_ns);
  for (Call& call : trace.calls) {
    for (std::int64_t* time : {&call.arrival_ns, &call.return_ns, &call.completing_ns, &call.exit_ns}) {
      to_global.apply(*time);
    }
  }
}

bool have_one_clock(const std::vector<ProcessTrace>& processes) {
  const std::uint64_t clock = processes.front().process.clock;
  return std::all_of(processes.begin(), processes.end(), [clock](const ProcessTrace& trace) {
    const bool synchronized = !trace.clock.empty() && trace.clock.front().synchronized;
    return synchronized || (clock != 0 && trace.process.clock == clock);
  });
}

// The key by which the calls of all processes are joined.
struct Place {
  std::uint64_t communicator;
  std::uint64_t sequence;
  Participation part;

  [[nodiscard]] auto key() const noexcept { return std::tie(communicator, sequence, part.process, part.call); }
  friend bool operator<(const Place& a, const Place& b) noexcept { return a.key() < b.key(); }
};

std::vector<Place> places(const Job& job) {
  std::vector<Place> found;
  for (std::uint32_t process = 0; process < job.processes.size(); ++process) {
    const ProcessTrace& trace = job.processes[process];
    for (std::uint32_t call = 0; call < trace.calls.size(); ++call) {
      const Call& made = trace.calls[call];
      found.push_back({trace.communicators[made.communicator].id, made.sequence, {process, call}});
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

const Communicator& communicator_of(const Job& job, const Participation& part) {
  const ProcessTrace& trace = job.processes[part.process];
  return trace.communicators[trace.calls[part.call].communicator];
}

void join_calls(Job& job) {
  const std::vector<Place> all = places(job);
  std::map<std::uint64_t, std::uint32_t> number;
  std::size_t mixed = 0;
  for (std::size_t i = 0; i < all.size();) {
    const Place& first = all[i];
    const Call& call = job.call_of(first.part);
    const auto [known, is_new] = number.try_emplace(first.communicator, static_cast<std::uint32_t>(number.size()));
    if (is_new) {
      const Communicator& made = communicator_of(job, first.part);
      job.communicators.push_back({first.communicator, made.size + made.remote_size, {}});
    }
    CollectiveCall joined{.kind = call.kind, .start = call.start, .communicator = known->second};
    joined.sequence = first.sequence;
    joined.first = job.participations.size();
    for (; i < all.size() && all[i].communicator == first.communicator && all[i].sequence == joined.sequence; ++i) {
      const Call& other = job.call_of(all[i].part);
      if (other.kind != joined.kind) {
        ++mixed;
        continue;
      }
      joined.bytes = std::max(joined.bytes, message_bytes(other, communicator_of(job, all[i].part)));
      job.participations.push_back(all[i].part);
      ++joined.count;
    }
    job.calls.push_back(joined);
  }
  if (mixed > 0) {
    job.notes.push_back(std::to_string(mixed) +
                        " calls are left out, because other processes called another collective at the same place");
  }
}

void order_calls(Job& job) {
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  for (std::size_t i = 0; i < job.calls.size(); ++i) order.emplace_back(job.first_arrival_ns(job.calls[i]), i);
  std::sort(order.begin(), order.end());
  std::vector<CollectiveCall> ordered;
  ordered.reserve(order.size());
  for (const auto& [time, i] : order) ordered.push_back(job.calls[i]);
  job.calls = std::move(ordered);
}

void name_communicators(Job& job) {
  const auto& of_first = job.processes.front().communicators;
  const std::uint64_t world = of_first.empty() ? 0 : of_first.front().id;
  int named = 0;
  for (const CollectiveCall& call : job.calls) {
    JobCommunicator& communicator = job.communicators[call.communicator];
    if (!communicator.name.empty()) continue;
    communicator.name = communicator.id == world ? "world" : "comm " + std::to_string(++named);
  }
}

void add_notes(Job& job) {
  const std::size_t traced = job.processes.size();
  if (traced < job.size) {
    job.notes.push_back(std::to_string(traced) + " of " + std::to_string(job.size) + " processes were traced");
  }
  const auto ended = std::count_if(job.processes.begin(), job.processes.end(),
                                   [](const ProcessTrace& trace) { return trace.end.has_value(); });
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

std::int64_t Job::first_arrival_ns(const CollectiveCall& call) const noexcept {
  std::int64_t first = call_of(of(call).front()).arrival_ns;
  for (const Participation& part : of(call)) first = std::min(first, call_of(part).arrival_ns);
  return first;
}

std::vector<std::int64_t> Job::delays_ns(const CollectiveCall& call) const {
  const std::int64_t first = first_arrival_ns(call);
  std::vector<std::int64_t> delays;
  for (const Participation& part : of(call)) delays.push_back(call_of(part).arrival_ns - first);
  return delays;
}

std::uint64_t Job::recorded_calls() const noexcept {
  std::uint64_t sum = 0;
  for (const ProcessTrace& trace : processes) sum += trace.calls.size();
  return sum;
}

std::int64_t Job::origin_ns() const noexcept {
  std::int64_t origin = processes.front().process.start_ns;
  for (const ProcessTrace& trace : processes) origin = std::min(origin, trace.process.start_ns);
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

Job join_processes(std::vector<ProcessTrace> processes) {
  Job job;
  if (processes.empty()) throw Error("expected at least one process in a job");
  std::sort(processes.begin(), processes.end(),
            [](const ProcessTrace& a, const ProcessTrace& b) { return a.process.rank < b.process.rank; });
  job.id = processes.front().process.job;
  job.size = processes.front().process.size;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const Process& process = processes[i].process;
    if (process.job != job.id) throw Error("the processes belong to different jobs");
    if (i > 0 && process.rank == processes[i - 1].process.rank) {
      throw Error("two processes have rank " + std::to_string(process.rank));
    }
  }
  job.one_clock = have_one_clock(processes);
  job.processes = std::move(processes);
  for (ProcessTrace& trace : job.processes) convert_to_global_time(trace);
  join_calls(job);
  order_calls(job);
  name_communicators(job);
  add_notes(job);
  return job;
}

std::vector<Job> read_jobs(const std::filesystem::path& folder) {
  std::map<std::uint64_t, std::vector<ProcessTrace>> by_job;
  std::vector<std::string> unread;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".lxtrace") continue;
    if (entry.is_regular_file() && entry.file_size() == 0) {  // the process was killed after it created the file
      unread.push_back(entry.path().filename().string() + " is empty and left out");
      continue;
    }
    ProcessTrace trace = read_process_trace(entry.path().string());
    by_job[trace.process.job].push_back(std::move(trace));
  }
  if (error) throw UsageError(folder.string() + ": " + error.message());
  if (by_job.empty()) throw UsageError(folder.string() + ": contains no trace files (*.lxtrace)");
  std::vector<Job> jobs;
  for (auto& [id, processes] : by_job) jobs.push_back(join_processes(std::move(processes)));
  std::sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) { return a.origin_ns() < b.origin_ns(); });
  jobs.front().notes.insert(jobs.front().notes.end(), unread.begin(), unread.end());
  return jobs;
}

}  // namespace laxity::trace
