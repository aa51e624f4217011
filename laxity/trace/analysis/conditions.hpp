// Assigns each call of a traced application to the nearest measured condition, a pattern and its skew.
//
// The condition is `no_delay` if the skew of the call is less than half of the smallest measured skew. Otherwise it is
// the pattern whose shape has the smallest distance to the delays of the call, both scaled to a skew of 1, at the
// measured skew of nearest ratio. A call that is far from every shape is `random`. Patterns from files have no known
// shape and are not considered.
//
// Threads: pure functions. Elsewhere: choosing algorithms by these conditions
// (laxity/collective/selection/selection.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "laxity/collective/selection/selection.hpp"
#include "laxity/trace/analysis/job.hpp"
#include "laxity/trace/file/kind.hpp"

namespace laxity::trace {

/// Calls of an application that no measurement represents.
struct UnmeasuredCalls {
  Kind kind = Kind::barrier;
  std::optional<collective::Collective> collective;  ///< empty if the benchmark does not have it
  std::uint32_t processes = 0;
  std::uint64_t bytes = 0;  ///< as in the benchmark
  std::size_t calls = 0;
};

struct TracedConditions {
  std::vector<collective::ApplicationCalls> calls;
  std::vector<UnmeasuredCalls> unmeasured;  ///< one per collective, number of processes and size
};

/// The collective of the benchmark that a recorded call is; empty if the benchmark does not have it.
[[nodiscard]] std::optional<collective::Collective> collective_of(Kind kind) noexcept;

/// Whether a call can be compared with the benchmark: blocking, of one group, and recorded by all of its processes.
[[nodiscard]] bool is_comparable(const Job& job, const CollectiveCall& call) noexcept;

/// The message size of a call as the benchmark defines it.
[[nodiscard]] std::uint64_t benchmark_bytes(const Job& job, const CollectiveCall& call) noexcept;

/// The conditions of the comparable calls of a job, by the measured size that stands for their size (ranges_of()). Only
/// cells that are measured often enough are conditions; calls of a size without any are neither in `calls` nor in
/// `unmeasured`.
[[nodiscard]] TracedConditions conditions_of(const Job& job, const std::vector<collective::Measurement>& measurements);

}  // namespace laxity::trace
