// One run of PHOLD with everything chosen at run time: shape, pending-event set, engine and team.
//
// The engines are templates of the model and of the set; phold_run.cpp is the one place that makes them all and chooses.
// Threads: as Team::run, one run at a time. Elsewhere: the model (phold.hpp), the engines (laxity/timewarp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "laxity/timewarp/model_check.hpp"
#include "laxity/timewarp/run.hpp"
#include "workloads/phold/phold.hpp"

namespace laxity::phold {

/// The pending-event sets of laxity/timewarp.
enum class Queue { bucket, heap, ladder, two_tier_ladder, three_tier_heap };

/// "bucket", "heap", "ladder", "two-tier-ladder", "three-tier-heap".
[[nodiscard]] std::string_view name_of(Queue queue) noexcept;
[[nodiscard]] std::optional<Queue> queue_named(std::string_view name) noexcept;

/// How threads exchange events: rings between two, or queues that all share (laxity/timewarp/queue_exchange.hpp).
enum class Exchange { rings, mutex, spin_lock, lock_free };

/// "rings", "mutex", "spin-lock", "lock-free".
[[nodiscard]] std::string_view name_of(Exchange exchange) noexcept;

struct Run {
  Shape shape = Shape::continuous;
  Options model;
  double end_time = 500;  ///< events at or past it are dropped
  std::uint64_t seed = 1;
  Queue queue = Queue::bucket;
  Exchange exchange = Exchange::rings;  ///< others only with threads and the bucket queue
  std::size_t queues = 1;               ///< of each thread, unless rings
  bool sequential = false;              ///< one thread, no rollback; threads and processes do not count then
  timewarp::RunOptions options;         ///< its `watch` is not used
};

/// What a worker has done so far. A sequential run has one worker, whose events are all final.
struct Progress {
  double gvt = 0;  ///< at most the end time
  timewarp::Statistics counts;
  std::uint64_t events_in_use = 0;  ///< records of the optimistic engine; 0 in a sequential run
};

enum class End { done, interrupted, failed };

struct Outcome {
  End end = End::done;
  std::string failure{};                        ///< what failed, a line for each worker; empty if nothing did
  std::vector<timewarp::Statistics> workers{};  ///< of a run that did not end: as last seen
  std::uint64_t digest = 0;                     ///< 0 unless asked for
  double seconds = 0;                           ///< of a run that did not end: since it was started
  std::uint64_t handled = 0;                    ///< by the states of all processes; equals the committed events
  std::uint64_t sum = 0;                        ///< of all states, see State::sum

  [[nodiscard]] timewarp::Statistics total() const noexcept;
  [[nodiscard]] double committed_per_second() const noexcept;
};

/// Throws UsageError, naming the option of `laxity phold`, if the run makes no sense.
void check(const Run& run);

/// Runs it and calls watch(progress by worker) in this thread about every 20 ms. What fails in the run, and Ctrl-C, is
/// in the outcome. Throws UsageError as check(), SystemError.
[[nodiscard]] Outcome run_phold(const Run& run, const std::function<void(const std::vector<Progress>&)>& watch = {});

/// Handles the events of the run sequentially, each of them again after it was put back (laxity/timewarp/model_check.hpp),
/// and returns how many. Throws UsageError as check(), timewarp::ModelError at the first that cannot be rolled back.
std::uint64_t check_handlers(const Run& run, timewarp::Check how);

}  // namespace laxity::phold
