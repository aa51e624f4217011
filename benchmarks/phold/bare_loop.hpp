// PHOLD as one would write it by hand for one thread: an array of events, a queue, no engine.
//
// The floor that the engines are measured against. Same model and same draws as workloads/phold with receivers anywhere:
// each process has its state and its random stream, an event is 40 bytes, and simultaneous events of one process are
// handled in some order. What it lacks is what an engine adds: keys that order ties the same in every run, a model to
// exchange, counts, checks of what is sent.
#pragma once

#include <cstdint>

struct BareModel {
  std::uint32_t logical_processes = 10'000;
  int events_per_lp = 20;
  double mean_delay = 10;
  double min_delay = 1;
  bool batch = false;  // whole times
  double end_time = 500;
  std::uint64_t seed = 1;
};

struct BareResult {
  std::uint64_t events = 0;
  std::uint64_t sum = 0;  // of all states; keeps the work from being optimized away
  double seconds = 0;
};

/// With a ring of buckets of equal width, tuned to hold a few events each (continuous) or one time each (batch).
[[nodiscard]] BareResult bare_bucket_loop(const BareModel& model);

/// With std::priority_queue.
[[nodiscard]] BareResult bare_heap_loop(const BareModel& model);
