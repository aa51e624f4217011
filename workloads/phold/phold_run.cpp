#include "workloads/phold/phold_run.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <span>
#include <type_traits>
#include <utility>

#include "laxity/error.hpp"
#include "laxity/launch/team.hpp"
#include "laxity/timewarp/heap_queue.hpp"
#include "laxity/timewarp/ladder_queue.hpp"
#include "laxity/timewarp/sequential.hpp"
#include "laxity/timewarp/three_tier_heap.hpp"
#include "laxity/timewarp/two_tier_ladder.hpp"

namespace laxity::phold {
namespace {

using timewarp::LiveStatistics;
using timewarp::Simulation;
using timewarp::Statistics;
using Watch = std::function<void(const std::vector<Progress>&)>;

constexpr std::array<std::pair<Queue, std::string_view>, 5> queue_names{{{Queue::bucket, "bucket"},
                                                                         {Queue::heap, "heap"},
                                                                         {Queue::ladder, "ladder"},
                                                                         {Queue::two_tier_ladder, "two-tier-ladder"},
                                                                         {Queue::three_tier_heap, "three-tier-heap"}}};

template <class Time>
double gvt_of(std::uint64_t bits, double end_time) {
  const auto time = static_cast<double>(timewarp::TimeBits<Time>::time(bits));
  return time >= 0 && time < end_time ? time : end_time;  // after the last event GVT is beyond all times
}

template <class Time>
std::vector<Progress> progress_of(std::span<const LiveStatistics> live, double end_time) {
  std::vector<Progress> workers;
  const auto read = [](const std::atomic<std::uint64_t>& shown) { return shown.load(std::memory_order_relaxed); };
  for (const LiveStatistics& worker : live) {
    Progress progress;
    progress.gvt = gvt_of<Time>(read(worker.gvt_time), end_time);
    progress.events_in_use = read(worker.events_out);
    progress.counts.gvt_rounds = read(worker.gvt_rounds);
    progress.counts.committed = read(worker.committed);
    progress.counts.processed = read(worker.processed);
    progress.counts.rolled_back = read(worker.rolled_back);
    progress.counts.primary_rollbacks = read(worker.rollbacks);
    progress.counts.remote_events = read(worker.remote_events);
    progress.counts.anti_messages = read(worker.anti_messages);
    workers.push_back(progress);
  }
  return workers;
}

template <Shape shape>
Simulation<Phold<shape>> simulation_of(const Run& run) {
  // An event of whole time is before the end time exactly if it is before the next whole number.
  using Time = typename Phold<shape>::Time;
  const double end = shape == Shape::batch ? std::ceil(run.end_time) : run.end_time;
  return {Phold<shape>(run.model), {run.model.logical_processes, static_cast<Time>(end)}, run.seed};
}

template <class Result>
Outcome outcome_of(const Result& result) {
  Outcome outcome{.workers = result.workers, .digest = result.digest, .seconds = result.seconds};
  for (const State& state : result.states) {
    outcome.handled += state.handled;
    outcome.sum += state.sum;
  }
  return outcome;
}

template <class Set, Shape shape>
Outcome run_optimistic(const Run& run, const Watch& watch) {
  timewarp::RunOptions options = run.options;
  options.watch = [&](std::span<const LiveStatistics> live) {
    watch(progress_of<typename Phold<shape>::Time>(live, run.end_time));
  };
  const auto simulation = simulation_of<shape>(run);
  if constexpr (std::is_same_v<Set, timewarp::BucketQueue>) {
    if (run.exchange != Exchange::rings) {
      const auto kind = run.exchange == Exchange::mutex       ? timewarp::QueueKind::mutex
                        : run.exchange == Exchange::spin_lock ? timewarp::QueueKind::spin_lock
                                                              : timewarp::QueueKind::lock_free;
      return outcome_of(timewarp::run_over_queues<Set>(simulation, options, kind, run.queues));
    }
  }
  return outcome_of(timewarp::run<Set>(simulation, options));
}

// In a thread of its own, so that this one can watch and hear Ctrl-C as with any other team.
template <class Set, Shape shape>
Outcome run_sequential(const Run& run, const Watch& watch) {
  using Model = Phold<shape>;
  std::atomic<std::uint64_t> time = 0, committed = 0;
  timewarp::Result<Model> result;
  Team team({.threads = 1, .pin = run.options.pin, .arena_bytes = std::size_t{1} << 20});
  const auto work = [&](Worker& worker) {
    const auto look = [&](std::uint64_t now, std::uint64_t so_far) {
      time.store(now, std::memory_order_relaxed);
      committed.store(so_far, std::memory_order_relaxed);
      return !worker.stop_requested();
    };
    result =
        timewarp::run_sequential<Set>(simulation_of<shape>(run), {.digest = run.options.worker.digest, .watch = look});
  };
  const TeamReport report = team.run(work, [&] {
    Progress progress;
    progress.gvt = gvt_of<typename Model::Time>(time.load(std::memory_order_relaxed), run.end_time);
    progress.counts.committed = progress.counts.processed = committed.load(std::memory_order_relaxed);
    watch({progress});
  });
  if (report.interrupted) throw timewarp::Interrupted();
  if (!report.all_finished()) throw Error(report.losses());
  return outcome_of(result);
}

template <class Set>
Outcome run_with(const Run& run, const Watch& watch) {
  if (run.shape == Shape::batch) {
    return run.sequential ? run_sequential<Set, Shape::batch>(run, watch)
                          : run_optimistic<Set, Shape::batch>(run, watch);
  }
  return run.sequential ? run_sequential<Set, Shape::continuous>(run, watch)
                        : run_optimistic<Set, Shape::continuous>(run, watch);
}

// The one place that knows which class a name stands for.
Outcome run_chosen(const Run& run, const Watch& watch) {
  switch (run.queue) {
    case Queue::bucket:
      return run_with<timewarp::BucketQueue>(run, watch);
    case Queue::heap:
      return run_with<timewarp::HeapQueue<4>>(run, watch);
    case Queue::ladder:
      return run_with<timewarp::LadderQueue>(run, watch);
    case Queue::two_tier_ladder:
      return run_with<timewarp::TwoTierLadder>(run, watch);
    case Queue::three_tier_heap:
      return run_with<timewarp::ThreeTierHeap>(run, watch);
  }
  throw UsageError("no such pending-event set");
}

void require(bool holds, const std::string& what) {
  if (!holds) throw UsageError(what);
}

std::string text(double value) {
  std::string digits = std::to_string(value);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.ends_with('.')) digits.pop_back();
  return digits;
}

void check_team(const Run& run) {
  const timewarp::RunOptions& options = run.options;
  require(options.threads >= 1, "--threads " + std::to_string(options.threads) + ": at least 1");
  require(options.processes >= 0, "--processes " + std::to_string(options.processes) + ": must not be negative");
  const std::int64_t workers = std::int64_t{options.threads} * std::max(1, options.processes);
  require(workers <= Team::max_workers, std::to_string(workers) + " workers: at most " +
                                            std::to_string(Team::max_workers) + " (--threads, --processes)");
  require(workers <= run.model.logical_processes,
          std::to_string(workers) + " workers for " + std::to_string(run.model.logical_processes) +
              " logical processes: at least one each (--threads, --processes, --lps)");
}

void check_exchange(const Run& run) {
  if (run.exchange == Exchange::rings) return;
  require(run.options.processes == 0, "--exchange: processes exchange by rings; queues are for --threads");
  require(run.queue == Queue::bucket, "--exchange: queues are there for --queue bucket only");
  require(run.queues >= 1 && run.queues <= 1024, "--queues " + std::to_string(run.queues) + ": must be 1 to 1024");
}

void check_model(const Run& run) {
  const Options& model = run.model;
  require(model.logical_processes >= 1, "--lps 0: at least one logical process");
  require(model.events_per_lp >= 1,
          "--events-per-lp " + std::to_string(model.events_per_lp) + ": at least one, else nothing ever happens");
  require(model.range >= 1, "--range 0: at least 1");
  require(model.remote >= 0 && model.remote <= 1, "--remote " + text(model.remote) + ": must be in [0, 1]");
  require(model.parts >= 1 && model.parts <= model.logical_processes,
          "--parts " + std::to_string(model.parts) + ": 1 to the number of logical processes (" +
              std::to_string(model.logical_processes) + ")");
  constexpr double longest = 0x1p52;  // whole numbers up to here are exact
  require(run.end_time > 0 && run.end_time <= longest, "--end-time " + text(run.end_time) + ": must be in (0, 2^52]");
  require(model.mean_delay >= 0 && model.mean_delay <= longest,
          "--mean-delay " + text(model.mean_delay) + ": must be in [0, 2^52]");
  require(model.lookahead >= 0 && model.lookahead <= longest,
          "--lookahead " + text(model.lookahead) + ": must be in [0, 2^52]");
  if (run.shape == Shape::batch) {
    require(model.lookahead >= 1 && model.lookahead == std::floor(model.lookahead),
            "--lookahead " + text(model.lookahead) + ": the batch shape has whole times; 1 or more");
  } else {
    require(model.lookahead + model.mean_delay > 0, "--lookahead 0 --mean-delay 0: no delay is left");
  }
}

}  // namespace

std::string_view name_of(Queue queue) noexcept {
  return std::ranges::find(queue_names, queue, &std::pair<Queue, std::string_view>::first)->second;
}

std::string_view name_of(Exchange exchange) noexcept {
  constexpr std::array<std::string_view, 4> names = {"rings", "mutex", "spin-lock", "lock-free"};
  return names[static_cast<std::size_t>(exchange)];
}

std::optional<Queue> queue_named(std::string_view name) noexcept {
  const auto* const found = std::ranges::find(queue_names, name, &std::pair<Queue, std::string_view>::second);
  return found == queue_names.end() ? std::nullopt : std::optional(found->first);
}

Statistics Outcome::total() const noexcept {
  Statistics all;
  for (const Statistics& worker : workers) all += worker;
  return all;
}

double Outcome::committed_per_second() const noexcept {
  return seconds > 0 ? static_cast<double>(total().committed) / seconds : 0;
}

void check(const Run& run) {
  if (!run.sequential) check_team(run);
  if (!run.sequential) check_exchange(run);
  check_model(run);
}

Outcome run_phold(const Run& run, const Watch& watch) {
  check(run);
  std::vector<Progress> last;
  const auto start = std::chrono::steady_clock::now();
  const auto unfinished = [&](End end, const std::string& failure) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    Outcome outcome{.end = end, .failure = failure, .seconds = elapsed.count()};
    for (const Progress& worker : last) outcome.workers.push_back(worker.counts);
    return outcome;
  };
  try {
    return run_chosen(run, [&](const std::vector<Progress>& workers) {
      last = workers;
      if (watch) watch(workers);
    });
  } catch (const timewarp::Interrupted&) {
    return unfinished(End::interrupted, {});
  } catch (const SystemError&) {
    throw;
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    return unfinished(End::failed, error.what());
  }
}

std::uint64_t check_handlers(const Run& run, timewarp::Check how) {
  check(run);
  if (run.shape == Shape::batch) return timewarp::check_model(simulation_of<Shape::batch>(run), how);
  return timewarp::check_model(simulation_of<Shape::continuous>(run), how);
}

}  // namespace laxity::phold
