#include "workloads/phold/phold_run.hpp"

#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/require_option.hpp"
#include "workloads/phold/shape_run.hpp"

namespace laxity::phold {
namespace {

using timewarp::Progress;
using timewarp::StateSaving;
using timewarp::Statistics;

void check_delays(const Run& run, double max_time) {
  const Options& model = run.model;
  require_option(model.mean_delay >= 0 && model.mean_delay <= max_time, "mean_delay", model.mean_delay,
                 "must be in [0, 2^52]");
  require_option(model.min_delay >= 0 && model.min_delay <= max_time, "min_delay", model.min_delay,
                 "must be in [0, 2^52]");
  if (run.shape == Shape::batch) {
    require_option(model.min_delay >= 1 && model.min_delay == std::floor(model.min_delay), "min_delay", model.min_delay,
                   "must be a whole number, at least 1, in the batch shape");
  } else {
    require_option(model.min_delay + model.mean_delay > 0, "min_delay", model.min_delay,
                   "must be positive if mean_delay is 0; events without delay never end");
  }
}

void check_model(const Run& run) {
  const Options& model = run.model;
  require_option(model.logical_processes >= 1, "logical_processes", model.logical_processes, "must be at least 1");
  require_option(model.events_per_lp >= 1, "events_per_lp", model.events_per_lp, "must be at least 1");
  require_option(model.range >= 1, "range", model.range, "must be at least 1");
  require_option(model.remote >= 0 && model.remote <= 1, "remote", model.remote, "must be in [0, 1]");
  require_option(model.parts >= 1 && model.parts <= model.logical_processes, "parts", model.parts,
                 "must be 1 to the number of logical processes (" + std::to_string(model.logical_processes) + ")");
  constexpr double max_time = 0x1p52;  // whole numbers up to this one are exact
  require_option(run.end_time > 0 && run.end_time <= max_time, "end_time", run.end_time, "must be in (0, 2^52]");
  check_delays(run, max_time);
}

}  // namespace

Statistics Outcome::total() const noexcept { return timewarp::total_of(workers); }

double Outcome::committed_per_second() const noexcept {
  return seconds > 0 ? static_cast<double>(total().committed) / seconds : 0;
}

void check(const Run& run) {
  check_model(run);
  require_option(run.state_saving == StateSaving::copy || run.engine.queue == timewarp::Queue::bucket, "state_saving",
                 timewarp::name_of(run.state_saving), "requires the bucket queue");
  timewarp::check(run.engine, run.model.logical_processes);
}

Outcome run_phold(const Run& run, const timewarp::Watch& watch) {
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
    const auto remember = [&](const std::vector<Progress>& workers) {
      last = workers;
      if (watch) watch(workers);
    };
    return run.shape == Shape::batch ? run_shape<Shape::batch>(run, remember)
                                     : run_shape<Shape::continuous>(run, remember);
  } catch (const timewarp::Interrupted& interrupted) {
    return unfinished(End::interrupted, interrupted.by());
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
  return run.shape == Shape::batch ? check_shape<Shape::batch>(run, how) : check_shape<Shape::continuous>(run, how);
}

}  // namespace laxity::phold
