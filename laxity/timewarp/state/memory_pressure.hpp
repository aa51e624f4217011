// What a worker does when its event memory runs short, in this order:
//  1. it throttles: only events that cannot be rolled back are processed, fossils are collected, canceled events are
//     freed;
//  2. received events that find no record wait outside event memory (received_events.hpp);
//  3. cancelback: if there is no record even for the events at GVT, all work beyond GVT is rolled back, and received
//     events beyond GVT leave event memory too;
//  4. the run fails with an Error.
// Memory is short if few records are free, or if three quarters of the worker's bytes are in use: a history of large
// states takes more of them than the records. If an eighth is taken by received events that wait, the other workers
// process only events at GVT, too, until a GVT round in which no worker reports so.
//
// Source: cancelback: Jefferson, Virtual time II: storage management in conservative and optimistic systems (PODC
// 1990). Here received events are kept by their receiver instead of being returned to their senders, which keep a stub
// of each.
// Invariant: the events at GVT are processed, or the run fails.
// Threads: one. Elsewhere: fossil collection (fossil_collection.hpp), the worker's loop (optimistic_worker.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "laxity/error.hpp"
#include "laxity/timewarp/exchange/exchange.hpp"
#include "laxity/timewarp/exchange/output_queue.hpp"
#include "laxity/timewarp/exchange/received_events.hpp"
#include "laxity/timewarp/gvt/gvt.hpp"
#include "laxity/timewarp/key.hpp"
#include "laxity/timewarp/model.hpp"
#include "laxity/timewarp/pending/pending_event.hpp"
#include "laxity/timewarp/state/fossil_collection.hpp"
#include "laxity/timewarp/state/local_events.hpp"
#include "laxity/timewarp/state/rollback.hpp"
#include "laxity/timewarp/state/state_saving.hpp"

namespace laxity::timewarp {

template <Model M, PendingSet Set, Exchange<M> Link>
class MemoryPressure {
 public:
  /// `max_bytes`: for all but the processes; `irrevocable_below`: the worker's bound for fossil collection. The
  /// references must outlive this.
  MemoryPressure(int worker, std::size_t max_bytes, const StateSaver<M>& saver, Gvt& gvt, const Key& irrevocable_below,
                 LocalEvents<M, Set>& events, OutputQueue<M, Link>& output_queue, ReceivedEvents<M, Set>& received,
                 FossilCollector<M, Set, Link>& fossils, Rollback<M, Set, Link>& rollback) noexcept
      : worker_(worker),
        max_bytes_(max_bytes),
        saver_(saver),
        gvt_(gvt),
        irrevocable_below_(irrevocable_below),
        events_(events),
        output_queue_(output_queue),
        received_(received),
        fossils_(fossils),
        rollback_(rollback) {}

  /// Whether so few records are free that they are kept for events which others have sent already.
  [[nodiscard]] bool is_short() const noexcept {
    return are_bytes_short_ || free_count() < std::max(events_.capacity() / 4, spare_records);
  }

  /// Whether memory would not be short with this number of bytes more.
  [[nodiscard]] bool fits(std::size_t bytes) const { return bytes_in_use() + bytes <= max_bytes_ / 4 * 3; }

  /// Call once per turn: counting bytes for every event would cost too much. Throws Error if they are used up.
  void count_bytes() {
    const std::size_t bytes = bytes_in_use();
    peak_bytes_ = std::max(peak_bytes_, bytes);
    are_bytes_short_ = bytes > max_bytes_ / 4 * 3;
    if (bytes > max_bytes_) [[unlikely]]
      fail_out_of_event_memory();
  }
  /// Whether the other workers send more than this one has room for.
  [[nodiscard]] bool is_flooded() const noexcept { return received_.overflow_bytes() > max_bytes_ / 8; }
  /// The maximum number of bytes counted so far.
  [[nodiscard]] std::size_t peak_bytes() const noexcept { return peak_bytes_; }

  /// Records that received events leave free; `suspended_sends`: those that a suspended event needs.
  [[nodiscard]] static std::size_t reserve(std::size_t suspended_sends) noexcept {
    return spare_records + suspended_sends;
  }

  /// The next event has to wait for memory: frees what can be freed, once per GVT round, and asks for a new round.
  void throttle() {
    if (!was_swept_) {
      fossils_.collect_all_fossils(irrevocable_below_);
      if (events_.canceled() > events_.capacity() / 8 || are_bytes_short_) events_.drop_canceled();
      if (are_bytes_short_) events_.shrink_histories();
      was_swept_ = true;
    }
    gvt_.start();
  }
  void new_gvt() noexcept { was_swept_ = false; }

  /// Whether `count` events can be sent, to this worker or to others; frees records if that is needed.
  [[nodiscard]] bool ensure_free_records(std::size_t count) { return free_count() >= count || free_records(count); }

  /// Frees records for `count` events at GVT by giving up work beyond GVT. Call right after a GVT round: within a
  /// round, after its report, a worker must not roll back events of its own accord, as the new GVT may lie beyond them.
  void cancelback(std::size_t count) {
    if (ensure_free_records(count)) return;
    const Key beyond = std::max(gvt_.value().after_instant(), irrevocable_below_);
    rollback_.roll_back_all(beyond);
    if (!ensure_free_records(count)) received_.move_to_overflow(beyond);
  }

  /// Frees a record if there is none for a received event at GVT. Call right after a GVT round.
  void admit_events_at_gvt() {
    if (events_.free_count() > 0 || !received_.has_overflow()) return;
    if (received_.min_overflow().instant() != gvt_.value()) return;
    cancelback(1);
    if (!ensure_free_records(1)) fail_out_of_event_memory();
  }

  [[noreturn]] void fail_out_of_event_memory() const {
    throw Error("the event memory of worker " + std::to_string(worker_) +
                " is used up: " + std::to_string(events_.capacity()) + " events, " + std::to_string(max_bytes_ >> 20) +
                " MiB; allow more (max_events, max_memory), or use fewer processes per worker");
  }

 private:
  [[nodiscard]] std::size_t bytes_in_use() const noexcept {
    return events_.bytes_in_use() + output_queue_.bytes_in_use() + received_.overflow_bytes() + saver_.bytes();
  }

  [[nodiscard]] std::size_t free_count() const noexcept {
    return std::min(events_.free_count(), output_queue_.free_count());
  }

  [[nodiscard, gnu::noinline]] bool free_records(std::size_t count) {
    fossils_.collect_all_fossils(irrevocable_below_);
    events_.drop_canceled();
    return free_count() >= count;
  }

  static constexpr std::size_t spare_records = 64;

  int worker_;
  std::size_t max_bytes_;
  const StateSaver<M>& saver_;
  Gvt& gvt_;
  const Key& irrevocable_below_;
  LocalEvents<M, Set>& events_;
  OutputQueue<M, Link>& output_queue_;
  ReceivedEvents<M, Set>& received_;
  FossilCollector<M, Set, Link>& fossils_;
  Rollback<M, Set, Link>& rollback_;
  bool are_bytes_short_ = false;  // at the begin of the turn
  std::size_t peak_bytes_ = 0;
  bool was_swept_ = false;  // since the last GVT round
};

}  // namespace laxity::timewarp
