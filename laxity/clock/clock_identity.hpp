// The identity of the clock that a process reads: processes with the same identity read the same clock, so that no
// offset between them has to be measured.
//
// Threads: any. Elsewhere: clock synchronization (mpi_sync.hpp).
#pragma once

#include <cstdint>

namespace laxity {

using ClockIdentity = std::uint64_t;

/// A clock that is not known to be shared; two such clocks count as different.
constexpr ClockIdentity unshared_clock = 0;

/// The identity of SteadyClock: the same in all processes of one boot of one kernel (/proc/sys/kernel/random/boot_id)
/// and one time namespace, since containers may have a monotonic clock of their own. unshared_clock if it cannot be
/// read.
[[nodiscard]] ClockIdentity steady_clock_identity();

}  // namespace laxity
