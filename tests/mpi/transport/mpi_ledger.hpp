// The resources of MPI that a test program has allocated and not released, counted by PMPI wrappers.
#pragma once

#include <cstdint>
#include <functional>

namespace laxity::conformance {

struct MpiLedger {
  std::int64_t requests = 0;       ///< sends and barriers started and not known to be complete
  std::int64_t persistent = 0;     ///< receives created and not freed
  std::int64_t communicators = 0;  ///< duplicated and not freed
  std::int64_t windows = 0;        ///< allocated and not freed
  std::int64_t canceled = 0;
  std::int64_t calls = 0;  ///< calls that move messages: start, test, put, flush
  friend bool operator==(const MpiLedger&, const MpiLedger&) = default;
};

/// The ledger of this process; one thread at a time.
[[nodiscard]] MpiLedger& mpi_ledger() noexcept;

/// Runs `what` once, the next time that a receiver has copied a frame and checks whether it is complete.
void after_the_next_copy(std::function<void()> what);

/// From now on the headers of sent frames have another version.
void send_another_version(bool so) noexcept;

}  // namespace laxity::conformance
