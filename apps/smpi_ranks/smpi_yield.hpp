// Included before every source that is compiled for the simulator: sched_yield() advances simulated time, as SMPI arranges
// for other calls. Polling takes no simulated time, so a rank that polled and yielded would wait forever without it.
#pragma once

#include <sched.h>

int laxity_simulated_yield() noexcept;
#define sched_yield() laxity_simulated_yield()
