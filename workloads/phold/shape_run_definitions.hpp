// The definitions of shape_run.hpp, for the unit of each shape only.
#pragma once

#include <cmath>
#include <cstdint>

#include "laxity/timewarp/pending/bucket_queue.hpp"
#include "laxity/timewarp/result.hpp"
#include "laxity/timewarp/run_on.hpp"
#include "laxity/timewarp/state/state_saving.hpp"
#include "workloads/phold/shape_run.hpp"

namespace laxity::phold {

using timewarp::StateSaving;

// The simulation that a run describes, as the engines take it.
template <Shape shape, StateSaving saving = StateSaving::copy>
[[nodiscard]] timewarp::Simulation<Phold<shape, saving>> simulation_of(const Run& run) {
  // An event with a whole time is before the end time exactly if it is before the next whole number.
  using Time = typename Phold<shape, saving>::Time;
  const double end = shape == Shape::batch ? std::ceil(run.end_time) : run.end_time;
  return {Phold<shape, saving>(run.model), {run.model.logical_processes, static_cast<Time>(end)}, run.seed};
}

template <class Result>
[[nodiscard]] Outcome outcome_of(const Result& result) {
  Outcome outcome{.workers = result.workers, .digest = result.digest, .seconds = result.seconds};
  if (result.ended_at) outcome.ended_at = static_cast<double>(*result.ended_at);
  for (const State& state : result.states) {
    outcome.handled += state.handled;
    outcome.sum += state.sum;
  }
  return outcome;
}

template <Shape shape>
Outcome run_shape(const Run& run, const timewarp::Watch& watch) {
  // The sequential engine saves no states.
  if (run.engine.sequential || run.state_saving == StateSaving::copy) {
    return outcome_of(timewarp::run_on(run.engine, simulation_of<shape>(run), watch));
  }
  if (run.state_saving == StateSaving::periodic) {
    const auto simulation = simulation_of<shape, StateSaving::periodic>(run);
    return outcome_of(timewarp::run_optimistic<timewarp::BucketQueue>(run.engine, simulation, watch));
  }
  const auto simulation = simulation_of<shape, StateSaving::reverse>(run);
  return outcome_of(timewarp::run_optimistic<timewarp::BucketQueue>(run.engine, simulation, watch));
}

template <Shape shape>
std::uint64_t check_shape(const Run& run, timewarp::Check how) {
  switch (run.state_saving) {
    case StateSaving::periodic:
      return timewarp::check_model(simulation_of<shape, StateSaving::periodic>(run), how);
    case StateSaving::reverse:
      return timewarp::check_model(simulation_of<shape, StateSaving::reverse>(run), how);
    case StateSaving::copy:
      break;
  }
  return timewarp::check_model(simulation_of<shape>(run), how);
}

}  // namespace laxity::phold
