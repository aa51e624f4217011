#include "laxity/launch/team.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "laxity/clock/tsc_clock.hpp"
#include "laxity/error.hpp"
#include "laxity/launch/detail/grace_period.hpp"
#include "laxity/launch/detail/link_setup.hpp"
#include "laxity/launch/detail/rank_progress.hpp"
#include "laxity/launch/detail/rank_workers.hpp"
#include "laxity/launch/detail/status_carrier.hpp"
#include "laxity/launch/detail/stop_signals.hpp"
#include "laxity/launch/detail/team_over_ranks.hpp"
#include "laxity/launch/detail/worker_groups.hpp"

namespace laxity {
namespace {

int processes_of(const TeamOptions& options) {
  return options.ranks != nullptr ? options.ranks->map().ranks() : std::max(options.processes, 1);
}

int workers_of(const TeamOptions& options) {
  const auto impossible = [](const std::string& what, long long value) {
    return UsageError("a team cannot have " + std::to_string(value) + ' ' + what + "; it has 1 to " +
                      std::to_string(Team::max_workers) + " workers");
  };
  if (options.threads < 1) throw impossible("threads in a process", options.threads);
  if (options.processes < 0) throw impossible("processes", options.processes);
  if (options.ranks != nullptr && options.processes > 0)
    throw UsageError("ranks of an MPI carry threads and fork no processes: start more ranks instead");
  const long long workers = static_cast<long long>(options.threads) * processes_of(options);
  if (workers > Team::max_workers) throw impossible("workers", workers);
  if (options.tick.count() < 1) throw UsageError("the tick of a team must be at least a millisecond");
  if (options.grace.count() < 1) throw UsageError("the grace period of a team must be at least a millisecond");
  if (options.max_blocks < 1) throw UsageError("the arena of a team needs room for at least one block");
  return static_cast<int>(workers);
}

Placement make_placement(const TeamOptions& options) {
  const int workers = workers_of(options);
  return options.ranks != nullptr ? detail::plan_placement_over_ranks(*options.ranks, options.threads, options.pin)
                                  : plan_placement(workers, options.pin);
}

// The part of the notice that follows from the options.
JobNotice notice_of(const TeamOptions& options) {
  JobNotice notice;
  notice.threads = options.threads;
  notice.processes = options.processes;
  if (options.ranks == nullptr) return notice;
  notice.processes = options.ranks->map().ranks();
  notice.hosts = options.ranks->map().hosts();
  notice.host_index = options.ranks->map().host();
  return notice;
}

// Where the system cannot share memory, threads still run, but other processes cannot observe them.
Segment make_segment(const TeamOptions& options, std::size_t bytes, std::optional<PublishedJob>& job) {
  try {
    return job.emplace(bytes).memory().map();
  } catch (const SystemError&) {
    job.reset();
    if (options.processes > 0) throw;
    return Segment::private_memory(bytes);
  }
}

detail::TeamMemory make_memory(const TeamOptions& options, bool oversubscribed, std::optional<PublishedJob>& job) {
  const int workers = workers_of(options);
  const std::size_t bytes = detail::TeamMemory::bytes_needed(workers, options.max_links);
  JobNotice notice = notice_of(options);
  notice.workers = workers;
  const auto lay_out = [&](std::byte* memory) {
    detail::TeamMemory::lay_out(memory, workers, options.max_links, oversubscribed ? WaitStyle::yield : WaitStyle::spin,
                                options.on_loss);
  };
  detail::TeamMemory memory = [&] {
    if (options.ranks != nullptr) {
      detail::job_name_over_ranks(*options.ranks).copy(notice.name, sizeof notice.name - 1);
      return detail::team_memory_over_ranks(*options.ranks, options.threads, bytes, lay_out, job);
    }
    Segment segment = make_segment(options, bytes, job);
    lay_out(segment.data());
    return detail::TeamMemory(std::move(segment));
  }();
  notice.table_offset = memory.table_offset();
  if (job) job->publish(notice);
  return memory;
}

Arena make_arena(const TeamOptions& options) {
  const std::size_t bytes = Arena::bytes_needed(options.max_blocks, options.arena_bytes);
  if (options.ranks != nullptr) return detail::arena_over_ranks(*options.ranks, bytes, options.max_blocks);
  return {options.processes > 0 ? Segment::shared(bytes) : Segment::private_memory(bytes), options.max_blocks};
}

// The supervisor's loop, until all workers have ended. `group` has reap(), kill_all() and give_up().
template <class Group>
void supervise_until_all_end(Group& group, const detail::TeamMemory& memory, const TeamOptions& options,
                             const std::function<void()>& supervise) {
  std::exception_ptr failure;
  detail::GracePeriod grace(options.grace);
  while (true) {
    const std::uint32_t ends = memory.ends();
    group.reap();
    if (memory.all_have_ended()) break;
    if (detail::StopSignals::count() > 1) group.kill_all();
    if (grace.is_over(memory)) group.give_up(memory.holding_up_the_end(), grace.complaint());
    try {
      if (supervise && failure == nullptr) supervise();
    } catch (...) {
      failure = std::current_exception();
      memory.end_team();
    }
    memory.wait_for_an_end(ends, options.tick);
  }
  if (failure != nullptr) std::rethrow_exception(failure);
}

// Threads cannot be killed alone: a second signal, or a thread that does not end, ends the process.
struct UnkillableThreads {
  WorkerPlace first;

  void reap() const noexcept {}
  void kill_all() const noexcept { detail::StopSignals::die(); }
  [[noreturn]] void give_up(const std::vector<int>& workers, const std::string& why) const {
    WorkerPlace place = first;
    place.thread = workers.front();
    std::fprintf(stderr, "laxity: %s is given up, and this process ends: %s\n", place.name().c_str(), why.c_str());
    std::fflush(nullptr);
    if (detail::StopSignals::count() > 0) detail::StopSignals::die();
    std::_Exit(1);
  }
};

}  // namespace

Team::Team(const TeamOptions& options)
    : options_(options),
      placement_(make_placement(options)),
      memory_(make_memory(options, placement_.oversubscribed, job_)),
      arena_(make_arena(options)) {
  TscScale::of_this_host();  // measured before forking, so that all workers have the same scale
}

WorkerPlace Team::place_of(int worker) const noexcept {
  return {worker / options_.threads, worker % options_.threads, processes_of(options_), options_.threads,
          options_.ranks != nullptr};
}

bool Team::all_are_updating() const noexcept {
  for (int worker = 0; worker < size(); ++worker)
    if (counter_table().worker(worker).updates.read() == 0 && !memory_.has_ended(worker)) return false;
  return true;
}

TeamReport Team::run(const std::function<void(Worker&)>& body, const std::function<void()>& supervise) {
  if (has_run_) throw UsageError("a team runs once; make another one");
  has_run_ = true;
  if (options_.ranks != nullptr) return run_over_ranks(body, supervise);
  TeamReport report;
  {
    const detail::StopSignals signals(memory_.stop_request(), -1);
    const detail::WorkerTask job{memory_, arena_, placement_.processor_of_worker, body};
    if (options_.processes > 0) {
      detail::ProcessGroup group(job, place_of(0));
      supervise_until_all_end(group, memory_, options_, supervise);
      group.reap_all(options_.grace);
    } else {
      const detail::ThreadGroup group(job, place_of(0), 0);
      UnkillableThreads threads{place_of(0)};
      supervise_until_all_end(threads, memory_, options_, supervise);
    }
    report.signal = detail::StopSignals::first_signal(memory_.stop_request(), "process");
    report.interrupted = !report.signal.empty();
  }
  fill(report);
  return report;
}

void Team::fill(TeamReport& report) const {
  for (int worker = 0; worker < size(); ++worker)
    report.workers.push_back({place_of(worker), counter_table().worker(worker).state.load(std::memory_order_acquire),
                              memory_.loss_text(worker)});
}

TeamReport Team::run_over_ranks(const std::function<void(Worker&)>& body, const std::function<void()>& supervise) {
  Ranks& ranks = *options_.ranks;
  std::unique_ptr<RemoteLinks> links;
  std::optional<detail::StatusCarrier> status_carrier;
  std::optional<detail::LinkSetup> link_setup;
  std::optional<detail::RankProgress> progress;
  if (ranks.map().hosts() > 1) {
    const bool relays = options_.threads > 1 && !ranks.all_threads_may_send();
    links = ranks.open_links(relays);
    if (ranks.map().leads_host()) status_carrier.emplace(memory_, ranks, options_.threads);
    link_setup.emplace(memory_, *links, status_carrier ? &*status_carrier : nullptr);
    if (status_carrier || relays)
      progress.emplace(status_carrier ? &*status_carrier : nullptr, relays ? links.get() : nullptr);
  }
  TeamReport report;
  std::exception_ptr failure;
  try {
    const detail::StopSignals signals(memory_.stop_request(), ranks.map().rank);
    const detail::WorkerTask job{memory_,
                                 arena_,
                                 placement_.processor_of_worker,
                                 body,
                                 &ranks.map(),
                                 link_setup ? &*link_setup : nullptr,
                                 status_carrier ? &*status_carrier : nullptr,
                                 progress ? &*progress : nullptr};
    detail::RankWorkers(job, place_of(ranks.map().rank * options_.threads), ranks).run(options_, supervise);
    report.signal = detail::StopSignals::first_signal(memory_.stop_request(), "rank");
    report.interrupted = !report.signal.empty();
  } catch (...) {
    failure = std::current_exception();
  }
  fill(report);
  if (ranks.has_lost_a_rank()) {
    report.interrupted = false;  // the launcher sends a signal after a loss
    report.signal.clear();
    static_cast<void>(links.release());  // MPI may still write to their buffers; the process is about to end
    detail::go_on_without_lost_rank(ranks, options_.threads, report);
    return report;
  }
  ranks.agree([&] {
    if (failure != nullptr) std::rethrow_exception(failure);
    if (links != nullptr) links->check();
  });
  if (links != nullptr) links->close();
  return detail::report_of_all_ranks(ranks, options_.threads, std::move(report));
}

void Team::allreduce_or(std::span<std::byte> block) {
  if (options_.ranks != nullptr) options_.ranks->allreduce_or(block);
}

bool TeamReport::all_finished() const noexcept {
  for (const WorkerEnd& end : workers)
    if (end.state != WorkerState::finished) return false;
  return true;
}

std::string TeamReport::losses() const {
  std::string text;
  for (const WorkerEnd& end : workers) {
    if (end.state == WorkerState::finished || end.state == WorkerState::elsewhere) continue;
    if (!text.empty()) text += '\n';
    text += end.place.name() + (end.state == WorkerState::killed ? " was killed: " : " failed: ") + end.what;
  }
  return text;
}

std::string TeamReport::interruption() const {
  if (!interrupted) return {};
  std::string text = signal;
  if (const std::string lost = losses(); !lost.empty()) text.append("; ").append(lost);
  for (std::size_t end = 0; (end = text.find('\n', end)) != std::string::npos;) text.replace(end, 1, "; ");
  return text;
}

std::string shape_of(const TeamOptions& options) { return notice_of(options).shape(); }

}  // namespace laxity
