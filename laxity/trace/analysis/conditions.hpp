// Assigns each call of a traced application to the nearest measured condition, a pattern and its skew.
//
// The condition is `no_delay` if the skew of the call is less than half of the smallest measured skew. Otherwise it is the
// pattern whose shape has the smallest distance to the delays of the call, both scaled to a skew of 1, at the measured skew
// of nearest ratio. A call that is far from every shape is `random`. Patterns from files have no known shape and are not
// considered.
//
// Threads: pure functions. Elsewhere: choosing algorithms by these conditions (laxity/collective/selection/selection.hpp).
#pragma once

#include <string>
#include <vector>

#include "laxity/collective/selection/selection.hpp"
#include "laxity/trace/analysis/job.hpp"

namespace laxity::trace {

struct TracedConditions {
  std::vector<collective::ApplicationCalls> calls;
  std::vector<std::string> left_out;  ///< one line per collective and size for calls that no measured size represents
};

/// The conditions of the blocking calls of a job, by nearest measured size. As in rules files, a size represents messages up
/// to its geometric mean with the next size, and the largest size up to twice its bytes. Calls that were not recorded by all
/// processes of their communicator are left out, as are calls on inter-communicators.
[[nodiscard]] TracedConditions conditions_of(const Job& job, const std::vector<collective::Measurement>& measurements);

}  // namespace laxity::trace
