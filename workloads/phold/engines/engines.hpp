// The definitions behind workloads/phold/engines.hpp, for the units of this folder only.
#pragma once

#include "laxity/timewarp/pending/bucket_queue.hpp"
#include "laxity/timewarp/run_on.hpp"
#include "workloads/phold/engines.hpp"
#include "workloads/phold/simulation.hpp"

namespace laxity::phold {

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
Outcome run_on_bucket_queue(const Run& run, const timewarp::Watch& watch) {
  return outcome_of(timewarp::run_on_queue<timewarp::BucketQueue>(run.engine, simulation_of<shape>(run), watch));
}

template <Shape shape>
Outcome run_on_comparison_queue(const Run& run, const timewarp::Watch& watch) {
  return outcome_of(timewarp::run_on_comparison_queue(run.engine, simulation_of<shape>(run), watch));
}

template <Shape shape>
Outcome run_with_other_state_saving(const Run& run, const timewarp::Watch& watch) {
  using timewarp::BucketQueue;
  using timewarp::StateSaving;
  if (run.state_saving == StateSaving::periodic) {
    const auto simulation = simulation_of<shape, StateSaving::periodic>(run);
    return outcome_of(timewarp::run_optimistic<BucketQueue>(run.engine, simulation, watch));
  }
  const auto simulation = simulation_of<shape, StateSaving::reverse>(run);
  return outcome_of(timewarp::run_optimistic<BucketQueue>(run.engine, simulation, watch));
}

}  // namespace laxity::phold
