// For comparison only: a ladder queue whose buckets are divided a second time, by the sender of events.
//
// Source: Higiro, Gebre and Rao, Multi-tier priority queues and 2-tier ladder queue for managing pending events in
// sequential and optimistic parallel simulations (SIGSIM-PADS 2017), 2tLadderQ, with their t = 32 sub-buckets.
//
// The second tier makes it cheap to remove events: a rollback cancels the events that a process has sent from some
// sequence number on, and with sub-buckets cancel() searches only 1/32 of Top and of the rungs for them. Such an engine
// needs no table from anti-messages to events. Laxity's engine has such a table and marks canceled events, so it does
// not call cancel(), and the second tier only adds cost.
//
// Threads: one. Elsewhere: the algorithm (ladder_queue.hpp).
#pragma once

#include "laxity/timewarp/pending/comparison/ladder_queue.hpp"

namespace laxity::timewarp {

/// A PendingSet. cancel() requires construction with the TieLayout of the keys.
using TwoTierLadder = Ladder<32>;

}  // namespace laxity::timewarp
