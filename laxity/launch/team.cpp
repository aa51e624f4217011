#include "laxity/launch/team.hpp"

#include <algorithm>
#include <exception>
#include <string>

#include "laxity/clock/tsc_clock.hpp"
#include "laxity/error.hpp"
#include "laxity/launch/detail/crew.hpp"
#include "laxity/launch/detail/stop_signals.hpp"

namespace laxity {
namespace {

constexpr std::chrono::seconds grace{5};  // for workers to end by themselves before their processes are killed

int workers_of(const TeamOptions& options) {
  const auto impossible = [](const std::string& what, long long value) {
    return UsageError("a team cannot have " + std::to_string(value) + ' ' + what + "; it has 1 to " +
                      std::to_string(Team::max_workers) + " workers");
  };
  if (options.threads < 1) throw impossible("threads in a process", options.threads);
  if (options.processes < 0) throw impossible("processes", options.processes);
  const long long workers = static_cast<long long>(options.threads) * std::max(options.processes, 1);
  if (workers > Team::max_workers) throw impossible("workers", workers);
  if (options.tick.count() < 1) throw UsageError("the tick of a team must be at least a millisecond");
  if (options.max_blocks < 1) throw UsageError("the arena of a team needs room for at least one block");
  return static_cast<int>(workers);
}

Arena make_arena(const TeamOptions& options) {
  const std::size_t bytes = Arena::bytes_needed(options.max_blocks, options.arena_bytes);
  return {options.processes > 0 ? Segment::shared(bytes) : Segment::private_memory(bytes), options.max_blocks};
}

// The supervisor's turn after turn until all workers have ended. `crew` has reap() and kill_all().
template <class Crew>
void look_after(Crew& crew, const detail::TeamMemory& memory, std::chrono::milliseconds tick,
                const std::function<void()>& supervise) {
  using SteadyTime = std::chrono::steady_clock::time_point;
  std::exception_ptr failure;
  SteadyTime give_up = SteadyTime::max();
  while (true) {
    const std::uint32_t ends = memory.ends();
    crew.reap();
    if (memory.all_have_ended()) break;
    if (detail::StopSignals::count() > 1 || std::chrono::steady_clock::now() > give_up) crew.kill_all();
    try {
      if (supervise && failure == nullptr) supervise();
    } catch (...) {
      failure = std::current_exception();
      memory.request_stop();
      memory.meeting_barrier().break_up();
      memory.pacing_barrier().break_up();
      give_up = std::chrono::steady_clock::now() + grace;
    }
    memory.wait_for_an_end(ends, tick);
  }
  if (failure != nullptr) std::rethrow_exception(failure);
}

// Threads cannot die or be killed alone: a second signal ends the process.
struct UnkillableCrew {
  void reap() const noexcept {}
  void kill_all() const noexcept {
    if (detail::StopSignals::count() > 1) detail::StopSignals::die();
  }
};

}  // namespace

Team::Team(const TeamOptions& options)
    : options_(options),
      placement_(plan_placement(workers_of(options), options.pin)),
      memory_(workers_of(options), options.max_links, options.processes > 0,
              placement_.oversubscribed ? WaitStyle::yield : WaitStyle::spin, options.on_loss),
      arena_(make_arena(options)) {
  TscScale::of_this_machine();  // measured here, so that forked workers inherit one scale
}

WorkerPlace Team::place_of(int worker) const noexcept {
  return {worker / options_.threads, worker % options_.threads, std::max(options_.processes, 1), options_.threads};
}

bool Team::all_are_updating() const noexcept {
  for (int worker = 0; worker < size(); ++worker)
    if (counter_table().worker(worker).updates.read() == 0 && !memory_.has_ended(worker)) return false;
  return true;
}

TeamReport Team::run(const std::function<void(Worker&)>& body, const std::function<void()>& supervise) {
  if (has_run_) throw UsageError("a team runs once; make another one");
  has_run_ = true;
  TeamReport report;
  {
    const detail::StopSignals signals(memory_.stop_flag());
    const detail::Job job{memory_, arena_, placement_.processor_of_worker, body};
    if (options_.processes > 0) {
      detail::ProcessCrew crew(job, place_of(0));
      look_after(crew, memory_, options_.tick, supervise);
      crew.reap_all(grace);
    } else {
      const detail::ThreadCrew crew(job, place_of(0), 0);
      UnkillableCrew threads;
      look_after(threads, memory_, options_.tick, supervise);
    }
    report.interrupted = detail::StopSignals::count() > 0;
  }
  for (int worker = 0; worker < size(); ++worker)
    report.workers.push_back({place_of(worker), counter_table().worker(worker).state.load(std::memory_order_acquire),
                              memory_.last_words(worker)});
  return report;
}

bool TeamReport::all_finished() const noexcept {
  for (const WorkerEnd& end : workers)
    if (end.state != WorkerState::finished) return false;
  return true;
}

std::string TeamReport::losses() const {
  std::string text;
  for (const WorkerEnd& end : workers) {
    if (end.state == WorkerState::finished) continue;
    text += end.place.name() + (end.state == WorkerState::killed ? " was killed: " : " failed: ") + end.what + '\n';
  }
  return text;
}

std::string shape_of(const TeamOptions& options) {
  std::string threads = std::to_string(options.threads) + 't';
  if (options.processes == 0) return threads;
  const std::string processes = std::to_string(options.processes) + 'p';
  return options.threads == 1 ? processes : processes + threads;
}

}  // namespace laxity
