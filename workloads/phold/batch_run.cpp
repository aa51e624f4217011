#include "workloads/phold/shape_run_definitions.hpp"

namespace laxity::phold {

template Outcome run_shape<Shape::batch>(const Run& run, const timewarp::Watch& watch);
template std::uint64_t check_shape<Shape::batch>(const Run& run, timewarp::Check how);

}  // namespace laxity::phold
