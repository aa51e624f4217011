// Put in front of every source that is compiled for the simulator, as SMPI does for the other calls that take time: a
// rank that yields lets simulated time pass. Without it, ranks that look again until a message has come would look for
// ever, since a look takes no time.
#pragma once

#include <sched.h>

int laxity_simulated_yield() noexcept;
#define sched_yield() laxity_simulated_yield()
