#include "workloads/phold/phold_run.hpp"

#include <chrono>
#include <cmath>
#include <string>
#include <type_traits>

#include "laxity/error.hpp"

namespace laxity::phold {
namespace {

using timewarp::Progress;
using timewarp::Simulation;
using timewarp::StateSaving;
using timewarp::Statistics;

template <Shape shape, StateSaving saving>
Simulation<Phold<shape, saving>> simulation_of(const Run& run) {
  // An event of whole time is before the end time exactly if it is before the next whole number.
  using Time = typename Phold<shape, saving>::Time;
  const double end = shape == Shape::batch ? std::ceil(run.end_time) : run.end_time;
  return {Phold<shape, saving>(run.model), {run.model.logical_processes, static_cast<Time>(end)}, run.seed};
}

template <class Result>
Outcome outcome_of(const Result& result) {
  Outcome outcome{.workers = result.workers, .digest = result.digest, .seconds = result.seconds};
  if (result.ended_at) outcome.ended_at = static_cast<double>(*result.ended_at);
  for (const State& state : result.states) {
    outcome.handled += state.handled;
    outcome.sum += state.sum;
  }
  return outcome;
}

// Calls act with the simulation, whose type depends on what the run says.
template <class Act>
auto with_simulation(const Run& run, Act act) {
  const auto of_shape = [&]<Shape shape>(std::integral_constant<Shape, shape>) {
    switch (run.state_saving) {
      case StateSaving::periodic:
        return act(simulation_of<shape, StateSaving::periodic>(run));
      case StateSaving::reverse:
        return act(simulation_of<shape, StateSaving::reverse>(run));
      case StateSaving::copy:
        break;
    }
    return act(simulation_of<shape, StateSaving::copy>(run));
  };
  return run.shape == Shape::batch ? of_shape(std::integral_constant<Shape, Shape::batch>{})
                                   : of_shape(std::integral_constant<Shape, Shape::continuous>{});
}

Outcome run_chosen(const Run& run, const timewarp::Watch& watch) {
  return with_simulation(run, [&]<class M>(const Simulation<M>& simulation) {
    constexpr auto sets = M::state_saving == StateSaving::copy ? timewarp::Sets::all : timewarp::Sets::bucket_only;
    return outcome_of(timewarp::run_on<sets>(run.engine, simulation, watch));
  });
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

Statistics Outcome::total() const noexcept {
  Statistics all;
  for (const Statistics& worker : workers) all += worker;
  return all;
}

double Outcome::committed_per_second() const noexcept {
  return seconds > 0 ? static_cast<double>(total().committed) / seconds : 0;
}

void check(const Run& run) {
  check_model(run);
  require(run.state_saving == StateSaving::copy || run.engine.queue == timewarp::Queue::bucket,
          "--state-saving: other ways than copy are there for --queue bucket only");
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
    return run_chosen(run, remember);
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
  return with_simulation(run, [&](const auto& simulation) { return timewarp::check_model(simulation, how); });
}

}  // namespace laxity::phold
