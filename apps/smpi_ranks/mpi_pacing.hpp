// The five asynchronicity modes over MPI, in simulated time.
//
// Invariants: in a mode with barriers all ranks make the same number of MPI calls, because a barrier agrees on the point in
// time that it stands for: a rank that is late brings a later point, and all ranks skip to it. A run ends at a barrier, for
// all ranks at once; without barriers each rank ends by itself.
// Elsewhere: the same modes in shared memory (laxity/launch/pacing.hpp).
#pragma once

#include <mpi.h>

#include <cstdint>

#include "laxity/launch/pacing.hpp"

namespace laxity {

class MpiPacing {
 public:
  /// Times are simulated ns, the same on all ranks.
  MpiPacing(MPI_Comm communicator, const PacingOptions& options, std::int64_t begin_ns);

  /// Called after an update that ended at `now_ns`; `over`: the time of this rank is up. Returns whether to continue.
  [[nodiscard]] bool after_update(std::int64_t now_ns, bool over);

 private:
  /// A barrier that agrees on the latest point that any rank has reached. Returns whether no rank's time is up.
  [[nodiscard]] bool barrier(std::int64_t point, bool over);

  MPI_Comm communicator_;
  PacingOptions options_;
  std::int64_t next_ns_;  // rolling: time of the next barrier
  std::int64_t point_;    // fixed: multiple of fixed_ns at the last barrier
};

/// Simulated time, ns.
[[nodiscard]] std::int64_t simulated_ns();

}  // namespace laxity
