// The processor time of a program that may consist of several ranks on a host, to tell its work from that of others.
//
// Elsewhere: measuring (laxity/metrics/disturbance.hpp).
#pragma once

#include <cstdint>

#include "laxity/launch/ranks.hpp"
#include "laxity/metrics/disturbance.hpp"

namespace laxity::cli {

/// Of the processors that the ranks of this host may use. Collective over ranks; nullptr: a single process.
[[nodiscard]] DisturbanceMeter meter_on_this_host(Ranks* ranks);

/// Since the construction of the meter, of all ranks of this host, ns. Collective over ranks; nullptr: a single process.
[[nodiscard]] std::int64_t cpu_ns_on_this_host(const DisturbanceMeter& meter, Ranks* ranks);

}  // namespace laxity::cli
