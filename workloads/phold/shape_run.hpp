// Runs of PHOLD whose shape is known at compile time. Each shape has a unit of its own, because GCC takes more than ten seconds
// for its engines.
//
// Elsewhere: the choice of the shape (phold_run.cpp), the definitions (shape_run_definitions.hpp).
#pragma once

#include <cstdint>

#include "laxity/timewarp/engine.hpp"
#include "laxity/timewarp/model_check.hpp"
#include "workloads/phold/phold_run.hpp"

namespace laxity::phold {

/// As run_phold(), without the checks; throws what fails in the run.
template <Shape shape>
[[nodiscard]] Outcome run_shape(const Run& run, const timewarp::Watch& watch);

/// As check_handlers(), without the checks.
template <Shape shape>
std::uint64_t check_shape(const Run& run, timewarp::Check how);

}  // namespace laxity::phold
