// What a test program has taken from MPI and not given back, counted between the program and the library (PMPI).
#pragma once

#include <cstdint>
#include <functional>

namespace laxity::conformance {

struct MpiLedger {
  std::int64_t requests = 0;       ///< sends and barriers begun and not known to have ended
  std::int64_t persistent = 0;     ///< receives made and not freed
  std::int64_t communicators = 0;  ///< duplicated and not freed
  std::int64_t windows = 0;        ///< allocated and not freed
  std::int64_t canceled_sends = 0;
  std::int64_t calls = 0;  ///< of those that move messages: start, test, put, flush
  friend bool operator==(const MpiLedger&, const MpiLedger&) = default;
};

/// Of this process; one thread at a time.
[[nodiscard]] MpiLedger& mpi_ledger() noexcept;

/// Runs `what` once, the next time that a receiver has copied a frame out and looks whether it is whole.
void after_the_next_copy(std::function<void()> what);

/// From now on frames that are sent claim to be of another version.
void send_another_version(bool so) noexcept;

}  // namespace laxity::conformance
