// The engines of PHOLD in groups. A unit of engines/ instantiates each group for one shape, because GCC takes a second for
// an engine and has forty of them to make.
//
// Elsewhere: what a unit instantiates (engines/engines.hpp), who picks the group (phold_run.cpp).
#pragma once

#include "workloads/phold/phold_run.hpp"

namespace laxity::phold {

/// Runs PHOLD with the bucket queue and copies of states: sequentially, and optimistically over every exchange.
template <Shape shape>
[[nodiscard]] Outcome run_on_bucket_queue(const Run& run, const timewarp::Watch& watch);

/// Runs PHOLD with one of the pending-event sets that are there for comparison, and copies of states.
template <Shape shape>
[[nodiscard]] Outcome run_on_comparison_queue(const Run& run, const timewarp::Watch& watch);

/// Runs PHOLD optimistically with the bucket queue and with states saved periodically or restored by reverse handlers.
template <Shape shape>
[[nodiscard]] Outcome run_with_other_state_saving(const Run& run, const timewarp::Watch& watch);

}  // namespace laxity::phold
