// The simulation that a run of PHOLD describes, as the engines take it. Elsewhere: the run (phold_run.hpp).
#pragma once

#include <cmath>

#include "laxity/timewarp/result.hpp"
#include "workloads/phold/phold_run.hpp"

namespace laxity::phold {

template <Shape shape, timewarp::StateSaving saving = timewarp::StateSaving::copy>
[[nodiscard]] timewarp::Simulation<Phold<shape, saving>> simulation_of(const Run& run) {
  // An event with a whole time is before the end time exactly if it is before the next whole number.
  using Time = typename Phold<shape, saving>::Time;
  const double end = shape == Shape::batch ? std::ceil(run.end_time) : run.end_time;
  return {Phold<shape, saving>(run.model), {run.model.logical_processes, static_cast<Time>(end)}, run.seed};
}

}  // namespace laxity::phold
