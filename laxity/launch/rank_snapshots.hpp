// The snapshots of a team over ranks, put together at rank 0.
//
// Each host has an observer of its own. Of a link between two hosts one has seen the sender's end, the other the
// receiver's; the two ends of a snapshot are as far apart in time as the observers, some milliseconds.
// Elsewhere: the observer (laxity/metrics/observer.hpp).
#pragma once

#include <vector>

#include "laxity/launch/ranks.hpp"
#include "laxity/metrics/observer.hpp"

namespace laxity {

/// One from two views of the same link: the sender's end from `sender`, the receiver's from `receiver`.
[[nodiscard]] LinkSnapshot join_ends(const LinkSnapshot& sender, const LinkSnapshot& receiver);

/// Collective: at rank 0 the snapshots of all hosts, in order of snapshot and link; those of a link that only one of its
/// hosts has taken are left out. `mine` are those of this rank, empty if it does not lead its host; ranks have `threads`
/// workers each.
[[nodiscard]] std::vector<LinkSnapshot> snapshots_of_all_ranks(Ranks& ranks, int threads,
                                                               const std::vector<LinkSnapshot>& mine);

}  // namespace laxity
