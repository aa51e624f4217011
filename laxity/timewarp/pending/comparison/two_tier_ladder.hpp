// A ladder queue whose buckets are divided a second time, by the sender of events.
//
// Source: Higiro, Gebre and Rao, Multi-tier priority queues and 2-tier ladder queue for managing pending events in
// sequential and optimistic parallel simulations (SIGSIM-PADS 2017), 2tLadderQ, with their t = 32 sub-buckets.
//
// The second tier is there to take events out: a rollback cancels what a process has sent from some sequence on, and with
// sub-buckets only 1/32 of Top and of the rungs is searched for it, cancel(). It needs no table from an anti-message to
// its event. Laxity's own engine has such a table and marks canceled events, so it has no use for cancel(): then the
// second tier is only a cost, and this set is here to be compared with.
//
// Threads: one. Elsewhere: the algorithm (ladder_queue.hpp).
#pragma once

#include "laxity/timewarp/pending/comparison/ladder_queue.hpp"

namespace laxity::timewarp {

/// A PendingSet. Construct it with the TieLayout of the keys if cancel() is to be called.
using TwoTierLadder = Ladder<32>;

}  // namespace laxity::timewarp
