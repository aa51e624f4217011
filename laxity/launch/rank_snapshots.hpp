// Gathers the snapshots of a team over ranks at rank 0.
//
// Each host has its own observer. For a link between two hosts, one observer has the sender's end and the other the
// receiver's; the two ends of such a snapshot are taken at times that differ by some milliseconds.
// Threads: the one that called join_ranks(). Elsewhere: the observer (laxity/metrics/observer.hpp).
#pragma once

#include <vector>

#include "laxity/launch/ranks.hpp"
#include "laxity/metrics/link_snapshot.hpp"
#include "laxity/metrics/observer.hpp"

namespace laxity {

/// Joins two snapshots of the same link: the sender's end from `sender`, the receiver's from `receiver`.
[[nodiscard]] LinkSnapshot join_ends(const LinkSnapshot& sender, const LinkSnapshot& receiver);

/// Collective: rank 0 gets the snapshots of all hosts, in order of snapshot and link; a snapshot of a link that only
/// one of its two hosts has taken is omitted. `mine` is empty unless this rank leads its host; each rank has `threads`
/// workers.
[[nodiscard]] std::vector<LinkSnapshot> snapshots_of_all_ranks(Ranks& ranks, int threads,
                                                               const std::vector<LinkSnapshot>& mine);

}  // namespace laxity
