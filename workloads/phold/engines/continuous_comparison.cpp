#include "workloads/phold/engines/engines.hpp"

template laxity::phold::Outcome laxity::phold::run_on_comparison_queue<laxity::phold::Shape::continuous>(
    const Run& run, const timewarp::Watch& watch);
