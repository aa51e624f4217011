// When ranks wait for each other in simulated time: the five asynchronicity modes over MPI.
//
// Invariants: all ranks of a mode that meets make the same number of calls of MPI, because a meeting agrees on its
// number: a rank that comes late to a point in time brings the newer point, and all skip to it. A run ends at a
// meeting, for all at once; without meetings each rank ends by itself.
// Source of the modes: laxity/launch/pacing.hpp, whose meetings are in shared memory.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "laxity/launch/pacing.hpp"

namespace laxity {

class Meetings {
 public:
  /// Times in ns of simulated time, which all ranks read alike.
  Meetings(MPI_Comm communicator, const PacingOptions& options, std::int64_t begin_ns);

  /// After an update that ended at `now_ns`; `over`: this rank has had its time. True: go on.
  [[nodiscard]] bool after_update(std::int64_t now_ns, bool over);

 private:
  /// Waits for all. Brings the newest point that any of them has reached; true: nobody wants to end.
  [[nodiscard]] bool meet(std::int64_t point, bool over);

  MPI_Comm communicator_;
  PacingOptions options_;
  std::int64_t next_ns_;  // rolling: when the next meeting begins
  std::int64_t point_;    // fixed: the last point met at
};

/// Simulated time, ns.
[[nodiscard]] std::int64_t simulated_ns();

}  // namespace laxity
