// The memory that the workers of a team share besides the arena: the stop flag, two barriers, the causes of losses and
// the counter table.
//
// Invariants: a worker's state only goes waiting -> running -> finished, failed or killed. The loss of a worker is
// recorded by whoever detects it, the worker itself if it threw, its parent if it was killed; recording it twice does
// no harm.
// Threads: every function may be called from any thread of any process that inherited the object.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "laxity/launch/barrier.hpp"
#include "laxity/metrics/counter_table.hpp"
#include "laxity/transport/segment.hpp"

namespace laxity {
enum class LossPolicy : int;
}

namespace laxity::detail {

/// A request to stop, in memory that the processes of a team share.
struct StopRequest {
  std::atomic<bool> requested;
  std::atomic<std::uint64_t> first_signal;  ///< its number, and above it 1 + the process that received it; 0: none
};

class TeamMemory {
 public:
  /// Size of the segment, bytes.
  [[nodiscard]] static std::size_t bytes_needed(int workers, std::size_t max_links);
  /// Initializes a segment of zeros.
  static void lay_out(std::byte* memory, int workers, std::size_t max_links, WaitStyle style, LossPolicy on_loss);
  /// Attaches to a segment that lay_out() has initialized, in this process or another one.
  explicit TeamMemory(Segment segment);

  [[nodiscard]] CounterTable table() const noexcept;
  [[nodiscard]] std::size_t table_offset() const noexcept { return control().offsets.table; }
  [[nodiscard]] Barrier worker_barrier() const noexcept;  ///< Worker::barrier()
  [[nodiscard]] Barrier pacing_barrier() const noexcept;

  [[nodiscard]] StopRequest& stop_request() const noexcept { return control().stop; }
  [[nodiscard]] std::atomic<bool>& stop_flag() const noexcept { return control().stop.requested; }
  void request_stop() const noexcept { stop_flag().store(true, std::memory_order_relaxed); }

  /// Marks a worker of another host: nobody here waits for its end. If it represents its host, its places at the
  /// barriers hold what all workers of that host have reached; otherwise nobody here waits for it at barriers.
  void worker_is_elsewhere(int worker, bool represents_host) const noexcept;
  void worker_started(int worker, pid_t pid) const noexcept;
  void worker_finished(int worker) const noexcept;
  /// Records why the worker failed (its first 400 characters) for the report; ends the team with LossPolicy::end.
  void worker_failed(int worker, std::string_view what) const noexcept;
  void worker_killed(int worker, std::string_view what) const noexcept;
  /// Why a worker failed or was killed; empty otherwise.
  [[nodiscard]] std::string loss_text(int worker) const;

  /// True once the worker has finished, failed or been killed, or if it is on another host.
  [[nodiscard]] bool has_ended(int worker) const noexcept;
  [[nodiscard]] bool all_have_ended() const noexcept;
  /// The workers of this host that have not ended and cannot be waiting for another one at a barrier, since they are
  /// ahead of nobody. If there are none, all that have not ended.
  [[nodiscard]] std::vector<int> holding_up_the_end() const;
  /// Set by the leader of a host once the workers of all hosts have ended.
  [[nodiscard]] std::atomic<bool>& all_hosts_ended() const noexcept { return control().all_hosts_ended; }
  /// Notes that the first `count` link set-ups (link_setup.hpp) have been entered, so that every rank takes part in
  /// them.
  void enter_link_setup(std::uint64_t count) const noexcept;
  [[nodiscard]] std::uint64_t link_setups_entered() const noexcept {
    return control().link_setups_entered.load(std::memory_order_acquire);
  }
  /// True if the process of the worker is gone.
  [[nodiscard]] bool is_lost(int worker) const noexcept;
  /// True if the process of any worker is gone.
  [[nodiscard]] bool has_lost_a_worker() const noexcept;
  /// Ends the team: requests a stop and breaks the barriers.
  void end_team() const noexcept;
  /// Sleeps until the number of ends differs from `ends_seen`, but no longer than `limit`.
  void wait_for_an_end(std::uint32_t ends_seen, std::chrono::milliseconds limit) const noexcept;
  [[nodiscard]] std::uint32_t ends() const noexcept { return control().ends.load(std::memory_order_acquire); }

 private:
  struct Offsets {
    std::size_t barrier, pacing, losses, table, end;
    Offsets(int workers, std::size_t max_links);
  };
  struct alignas(64) Control {
    StopRequest stop;
    std::int32_t workers;
    LossPolicy on_loss;
    Offsets offsets;
    std::atomic<std::uint64_t> link_setups_entered;
    std::atomic<bool> all_hosts_ended;
    alignas(64) std::atomic<std::uint32_t> ends;  // futex word: workers that have ended
  };
  struct LossText {
    char text[512];
  };

  [[nodiscard]] Control& control() const noexcept { return *reinterpret_cast<Control*>(segment_.data()); }
  [[nodiscard]] LossText& loss_of(int worker) const noexcept;
  void lose(int worker, WorkerState state, std::string_view what) const noexcept;
  void end(int worker, WorkerState state) const noexcept;

  Segment segment_;
};

}  // namespace laxity::detail
