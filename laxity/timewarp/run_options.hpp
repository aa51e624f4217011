// The team of an optimistic run, and the progress that its workers publish. Elsewhere: the run (run.hpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "laxity/launch/placement.hpp"
#include "laxity/launch/ranks.hpp"
#include "laxity/timewarp/worker_options.hpp"

namespace laxity::timewarp {

/// The progress of one worker, as of its last GVT round. Its worker writes it; any thread or process may read it.
struct alignas(64) LiveStatistics {
  std::atomic<std::uint64_t> gvt_time;  ///< bits, see TimeBits
  std::atomic<std::uint64_t> gvt_rounds;
  std::atomic<std::uint64_t> committed;
  std::atomic<std::uint64_t> processed;
  std::atomic<std::uint64_t> rolled_back;
  std::atomic<std::uint64_t> rollbacks;
  std::atomic<std::uint64_t> remote_events;
  std::atomic<std::uint64_t> anti_messages;
  std::atomic<std::uint64_t> events_in_use;  ///< records in use
};

struct RunOptions {
  int threads = 1;         ///< of each process
  int processes = 0;       ///< forked; 0: the workers are threads of this process
  Ranks* ranks = nullptr;  ///< the processes, if not null: every rank calls run() and gets the result
  PinPolicy pin = PinPolicy::automatic;
  WorkerOptions worker = {};
  std::chrono::milliseconds grace = std::chrono::seconds(10);  ///< as TeamOptions::grace
  std::size_t ring_depth = 4096;  ///< messages in flight from one worker to another; fewer if they are large
  /// Bytes for the events of all workers of this host; 0: three quarters of available_memory(). Every worker has the
  /// same part.
  std::size_t max_memory = 0;
  /// Called in the calling thread about every 20 ms with the progress of the workers; may be empty.
  std::function<void(std::span<const LiveStatistics>)> watch = {};

  /// The number of workers on this host.
  [[nodiscard]] int workers_on_host() const {
    if (ranks == nullptr) return threads * process_count();
    const RankMap& map = ranks->map();
    return threads * static_cast<int>(map.ranks_of(map.host()).size());
  }
  /// The number of ranks, of forked processes, or 1.
  [[nodiscard]] int process_count() const noexcept {
    return ranks != nullptr ? ranks->map().ranks() : std::max(1, processes);
  }
};

}  // namespace laxity::timewarp
