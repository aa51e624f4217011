// Which clock a process reads: processes with the same identity read the same one, so nothing need be measured.
//
// Elsewhere: what follows from it (mpi_sync.hpp).
#pragma once

#include <cstdint>

namespace laxity {

using ClockIdentity = std::uint64_t;

/// Of a clock that is not known to be shared with anybody, not even with another of this identity.
constexpr ClockIdentity unshared_clock = 0;

/// Of SteadyClock: the same in all processes of one boot of one kernel (/proc/sys/kernel/random/boot_id) and one time
/// namespace, in which containers may see another monotonic clock. unshared_clock if the system does not tell.
[[nodiscard]] ClockIdentity steady_clock_identity();

}  // namespace laxity
