// The parts of an engine as a value, to be chosen at run time by a command line or a study.
//
// Elsewhere: a run on an engine of this kind (run_on.hpp); engines whose parts are known at compile time
// (sequential.hpp, run.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "laxity/timewarp/key.hpp"
#include "laxity/timewarp/model.hpp"
#include "laxity/timewarp/run_options.hpp"
#include "laxity/timewarp/state/memory_placement.hpp"
#include "laxity/timewarp/state/state_saving.hpp"
#include "laxity/timewarp/statistics.hpp"
#include "laxity/timewarp/worker_options.hpp"

namespace laxity::timewarp {

/// The pending-event sets. The bucket queue is recommended; the others are there for comparison.
enum class Queue { bucket, heap, ladder, two_tier_ladder, three_tier_heap };
inline constexpr std::array all_queues = {Queue::bucket, Queue::heap, Queue::ladder, Queue::two_tier_ladder,
                                          Queue::three_tier_heap};

/// How workers exchange events. Rings are recommended. For comparison, threads can use queues that several workers
/// share (queue_exchange.hpp), and processes can read payloads in the sender's memory (attach_exchange.hpp).
enum class ExchangeKind { rings, mutex, spin_lock, lock_free, attach };
inline constexpr std::array all_exchanges = {ExchangeKind::rings, ExchangeKind::mutex, ExchangeKind::spin_lock,
                                             ExchangeKind::lock_free, ExchangeKind::attach};
/// Whether the exchange has queues, of which every thread has `Engine::queues`.
[[nodiscard]] constexpr bool has_queues(ExchangeKind exchange) noexcept {
  return exchange != ExchangeKind::rings && exchange != ExchangeKind::attach;
}
inline constexpr std::array all_optimisms = {Optimism::none, Optimism::adaptive, Optimism::scale_free};
inline constexpr std::array all_sent_events = {SentEvents::copied, SentEvents::shared};
inline constexpr std::array all_memory_placements = {MemoryPlacement::local, MemoryPlacement::interleaved};
inline constexpr std::array all_state_savings = {StateSaving::copy, StateSaving::periodic, StateSaving::reverse};

/// "bucket", "heap", "ladder", "two-tier-ladder", "three-tier-heap".
[[nodiscard]] std::string_view name_of(Queue queue) noexcept;
/// "rings", "mutex", "spin-lock", "lock-free", "attach".
[[nodiscard]] std::string_view name_of(ExchangeKind exchange) noexcept;
/// "none", "adaptive", "scale-free".
[[nodiscard]] std::string_view name_of(Optimism optimism) noexcept;
/// "copied", "shared".
[[nodiscard]] std::string_view name_of(SentEvents events) noexcept;
/// "local", "interleaved".
[[nodiscard]] std::string_view name_of(MemoryPlacement placement) noexcept;
/// "copy", "periodic", "reverse".
[[nodiscard]] std::string_view name_of(StateSaving saving) noexcept;

struct Engine {
  bool sequential = false;  ///< the sequential engine, which uses only `queue`, `digest` and `event_log`
  Queue queue = Queue::bucket;
  ExchangeKind exchange = ExchangeKind::rings;  ///< others require the bucket queue
  std::size_t queues = 1;                       ///< of each thread, if the exchange has queues
  RunOptions options;                           ///< `watch` is not used

  [[nodiscard]] int workers() const noexcept { return sequential ? 1 : options.threads * options.process_count(); }
};

/// "sequential", "2t", "2p", "2p3t", "2r3t".
[[nodiscard]] std::string team_of(const Engine& engine);

/// Throws UsageError, "name = value: rule", if an option is out of its range or contradicts another.
void check(const Engine& engine, LpId logical_processes);

/// The progress of a worker. The sequential engine has one worker, which commits every event that it processes.
struct Progress {
  double gvt = 0;  ///< at most the end time
  Statistics counts;
  std::uint64_t events_in_use = 0;  ///< event records of the optimistic engine; 0 in a sequential run
};

/// Called in the calling thread about every 20 ms, with the progress of each worker.
using Watch = std::function<void(const std::vector<Progress>&)>;

namespace detail {

/// The progress of one worker, without its GVT.
[[nodiscard]] Progress progress_of(const LiveStatistics& live) noexcept;

}  // namespace detail

}  // namespace laxity::timewarp
