#include "workloads/phold/engines/engines.hpp"

template laxity::phold::Outcome laxity::phold::run_with_other_state_saving<laxity::phold::Shape::batch>(
    const Run& run, const timewarp::Watch& watch);
