// What the calls of a traced application are like, in terms of arrival patterns that were measured.
//
// A trace says how late each process came to each call, a benchmark how long algorithms take under named patterns at
// given skews. Each call is put to the measured condition that it is most like: `no_delay` if its processes came closer
// together than half of the smallest skew that was measured; else the pattern whose shape differs least from that of the
// call's delays, all scaled to a skew of 1, at the measured skew that is nearest by its ratio. A call that is like no shape
// is `random`. Patterns that were read from files have no shape that is known here.
//
// Threads: pure functions. Elsewhere: choosing algorithms by it (laxity/collective/selection/selection.hpp).
#pragma once

#include <string>
#include <vector>

#include "laxity/collective/selection/selection.hpp"
#include "laxity/trace/analysis/job.hpp"

namespace laxity::trace {

struct TracedConditions {
  std::vector<collective::ApplicationCalls> calls;
  std::vector<std::string> left_out;  ///< calls that no measurement stands for, a line for each kind of them
};

/// The blocking calls of a job, by the measured sizes they are nearest to. As in rules files, a size stands for messages
/// up to the geometric mean with the next, the largest for up to twice its bytes. Calls that some process of their
/// communicator did not record are left out, and those of inter-communicators.
[[nodiscard]] TracedConditions conditions_of(const Job& job, const std::vector<collective::Measurement>& measurements);

}  // namespace laxity::trace
