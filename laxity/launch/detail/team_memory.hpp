// What the members of a team share besides the arena: the stop flag, two barriers, last words and the counter table.
//
// Invariants: a worker's state only goes waiting -> running -> finished, failed or killed. Losing a worker is handled
// by whoever notices it, the worker itself when it threw, the parent when it was killed, and twice does no harm.
// Threads: everything may be called from any thread of any process that inherited the object.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "laxity/launch/barrier.hpp"
#include "laxity/metrics/counter_table.hpp"
#include "laxity/transport/segment.hpp"

namespace laxity {
enum class OnLoss : int;
}

namespace laxity::detail {

class TeamMemory {
 public:
  /// What a segment must have, bytes.
  [[nodiscard]] static std::size_t bytes_needed(int workers, std::size_t max_links);
  /// Lays it out in a segment of zeros.
  static void lay_out(std::byte* memory, int workers, std::size_t max_links, WaitStyle style, OnLoss on_loss);
  /// What lay_out() has made in this segment, here or in another process.
  explicit TeamMemory(Segment segment);

  [[nodiscard]] CounterTable table() const noexcept;
  [[nodiscard]] std::size_t table_offset() const noexcept { return control().offsets.table; }
  [[nodiscard]] Barrier meeting_barrier() const noexcept;  ///< Worker::barrier()
  [[nodiscard]] Barrier pacing_barrier() const noexcept;

  [[nodiscard]] std::atomic<bool>& stop_flag() const noexcept { return control().stop; }
  void request_stop() const noexcept { control().stop.store(true, std::memory_order_relaxed); }

  /// A worker of another host: nobody here waits for its end. `speaks`: at barriers it stands for its whole host.
  void worker_is_elsewhere(int worker, bool speaks) const noexcept;
  void worker_started(int worker, pid_t pid) const noexcept;
  void worker_finished(int worker) const noexcept;
  /// Keeps `what` (cut to its first 400 characters) for the report; ends the team if that is the rule.
  void worker_failed(int worker, std::string_view what) const noexcept;
  void worker_killed(int worker, std::string_view what) const noexcept;
  /// The last words of a worker that failed or was killed.
  [[nodiscard]] std::string last_words(int worker) const;

  /// True once the worker can do nothing more.
  [[nodiscard]] bool has_ended(int worker) const noexcept;
  [[nodiscard]] bool all_have_ended() const noexcept;
  /// Once the workers of all hosts have ended, as the leader of a host tells its other ranks.
  [[nodiscard]] std::atomic<bool>& over() const noexcept { return control().over; }
  /// Meetings of all ranks (link_setup.hpp) that have begun; each must be attended by every rank. `meetings` counts this one.
  void enter_meeting(std::uint64_t meetings) const noexcept;
  [[nodiscard]] std::uint64_t meetings_entered() const noexcept {
    return control().meetings_entered.load(std::memory_order_acquire);
  }
  /// Its process is gone. The second: that of any worker.
  [[nodiscard]] bool is_lost(int worker) const noexcept;
  [[nodiscard]] bool has_lost_a_worker() const noexcept;
  /// The team is ending: everybody stops, and barriers hold no longer.
  void break_up() const noexcept;
  /// Sleeps until a worker ends, at most `limit`.
  void wait_for_an_end(std::uint32_t ends_seen, std::chrono::milliseconds limit) const noexcept;
  [[nodiscard]] std::uint32_t ends() const noexcept { return control().ends.load(std::memory_order_acquire); }

 private:
  struct Offsets {
    std::size_t meeting, pacing, words, table, end;
    Offsets(int workers, std::size_t max_links);
  };
  struct alignas(64) Control {
    std::atomic<bool> stop;
    std::int32_t workers;
    OnLoss on_loss;
    Offsets offsets;
    std::atomic<std::uint64_t> meetings_entered;
    std::atomic<bool> over;                       // on all hosts
    alignas(64) std::atomic<std::uint32_t> ends;  // futex word: workers that have ended
  };
  struct LastWords {
    char text[512];
  };

  [[nodiscard]] Control& control() const noexcept { return *reinterpret_cast<Control*>(segment_.data()); }
  [[nodiscard]] LastWords& words(int worker) const noexcept;
  void lose(int worker, WorkerState state, std::string_view what) const noexcept;
  void end(int worker, WorkerState state) const noexcept;

  Segment segment_;
};

}  // namespace laxity::detail
