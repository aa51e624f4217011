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
  /// Private memory for the threads of one process, or shared with forked ones.
  TeamMemory(int workers, std::size_t max_links, bool shared, WaitStyle style, OnLoss on_loss);

  [[nodiscard]] CounterTable table() const noexcept;
  [[nodiscard]] Barrier meeting_barrier() const noexcept;  ///< Worker::barrier()
  [[nodiscard]] Barrier pacing_barrier() const noexcept;

  [[nodiscard]] std::atomic<bool>& stop_flag() const noexcept { return control().stop; }
  void request_stop() const noexcept { control().stop.store(true, std::memory_order_relaxed); }

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
  /// Sleeps until a worker ends, at most `limit`.
  void wait_for_an_end(std::uint32_t ends_seen, std::chrono::milliseconds limit) const noexcept;
  [[nodiscard]] std::uint32_t ends() const noexcept { return control().ends.load(std::memory_order_acquire); }

 private:
  struct alignas(64) Control {
    std::atomic<bool> stop;
    std::int32_t workers;
    OnLoss on_loss;
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
  std::size_t meeting_offset_ = 0, pacing_offset_ = 0, words_offset_ = 0, table_offset_ = 0;
};

}  // namespace laxity::detail
