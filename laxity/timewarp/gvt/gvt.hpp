// Global virtual time (GVT): a lower bound on the time of every event that can still be rolled back.
//
// Source: Mattern, Efficient algorithms for distributed snapshots and global virtual time approximation, J. Parallel
// Distrib. Comput. 18 (1993): two cuts and message counts, without stopping event execution. Here the counts lie in
// memory that all workers see, one line each, so a round costs each worker a look at n lines.
//
// A round: every worker joins (first cut) and from then on colors its messages with the round's parity. When all have
// joined and as many messages of the old color were received as had been sent, none of them is under way; then every
// worker reports (second cut) the least of its unprocessed events and of the messages it sent since it joined. The least
// report is the new GVT.
//
// A report also carries the least time at which a process wants the run to end, as far as the worker has come. Once that
// of all workers lies below GVT nothing can change it any more, and the run ends there.
//
// Invariants: GVT never decreases; no unprocessed event, and no message under way, lies below it. Times are instants
// (time and priority, Key::instant()). Work per round does not depend on the number of logical processes. All workers
// find the same end in the same round.
// Threads: every worker has its own Gvt over a common board and calls advance(); none waits.
// Elsewhere: freeing history below GVT (optimistic_worker.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "laxity/check.hpp"
#include "laxity/timewarp/key.hpp"
#include "laxity/transport/atomics_policy.hpp"

namespace laxity::timewarp {

/// What a worker reports in a round.
struct GvtReport {
  Key least_pending;                     ///< the instant of its first unprocessed event, latest_key if there is none
  std::uint64_t ends = latest_key.time;  ///< the least time (bits) of a processed event that ends the run, if any
};

/// What all workers see of one: written by it, in memory that all share. Zeroed memory is a valid start.
template <class Atomics>
struct alignas(64) BasicGvtWorkerState {
  using Count = typename Atomics::template Atomic<std::uint64_t>;
  Count joined{0};    ///< the last round it joined
  Count sent{0};      ///< messages of the old color it had sent when it joined, ever
  Count received{0};  ///< messages of the old color it has received, ever
  Count reported{0};  ///< the last round it reported in
  Count time{0};      ///< its report
  Count tie{0};
  Count ends{0};
};

/// The board: this, then a seat for each worker.
template <class Atomics>
struct alignas(64) BasicGvtSharedState {
  typename Atomics::template Atomic<std::uint64_t> started{0};  ///< rounds started
  [[nodiscard]] static std::size_t bytes_needed(int workers) noexcept {
    return sizeof(BasicGvtSharedState) + static_cast<std::size_t>(workers) * sizeof(BasicGvtWorkerState<Atomics>);
  }
  [[nodiscard]] BasicGvtWorkerState<Atomics>* seats() noexcept {
    return reinterpret_cast<BasicGvtWorkerState<Atomics>*>(this + 1);
  }
};

template <class Atomics>
class BasicGvt {
 public:
  BasicGvt(BasicGvtSharedState<Atomics>& board, int worker, int workers) noexcept
      : board_(&board), seats_(board.seats()), own_(&seats_[worker]), workers_(workers) {}

  [[nodiscard]] Key value() const noexcept { return value_; }
  [[nodiscard]] std::uint64_t rounds() const noexcept { return rounds_; }
  /// True when nothing that belongs to the run is left to process anywhere.
  [[nodiscard]] bool finished() const noexcept { return value_ == latest_key || has_end(); }
  /// Whether a process has ended the run; nothing can change that any more.
  [[nodiscard]] bool has_end() const noexcept { return ends_ < value_.time; }
  /// The time (bits) of that end; good if has_end(). What happens at it still belongs to the run.
  [[nodiscard]] std::uint64_t end() const noexcept { return ends_; }
  /// Every event below is final.
  [[nodiscard]] const Key& irrevocable_below() const noexcept { return irrevocable_below_; }

  /// Counts a message about the event with this key; the color travels with it. Call before the message can be seen.
  [[nodiscard]] unsigned sending(const Key& key) noexcept {
    ++sent_[color_];
    if (key < least_sent_) least_sent_ = key.instant();
    return color_;
  }
  /// Counts a message that has been received and delivered.
  void received(unsigned color) noexcept { ++received_[color]; }

  /// Starts a round unless one is under way. Any worker may; those who do so at once write the same number, and none
  /// can write a later one before this worker has joined.
  void start() noexcept {
    if (idle() && board_->started.load(started_seen) == round_) board_->started.store(round_ + 1, started_written);
  }

  /// Takes the part in a round that can be taken now; `report()` gives this worker's GvtReport. True if a round has
  /// ended; value() may have grown.
  template <class Report>
  bool advance(Report report) noexcept {
    if (idle()) {
      if (board_->started.load(started_seen) == round_) return false;
      join();
    }
    own_->received.store(received_[color_ ^ 1], count);
    if (!reported_) {
      if (!old_messages_have_arrived()) return false;
      publish(report());
    }
    return adopt();
  }

 private:
  [[nodiscard]] bool idle() const noexcept { return rounds_ == round_; }

  void join() noexcept {
    ++round_;
    reported_ = false;
    own_->sent.store(sent_[color_], count);
    own_->received.store(received_[color_], count);
    color_ ^= 1;
    least_sent_ = latest_key;
    own_->joined.store(round_, publish_joined);
  }

  // Both sums are of values that only grow, and what is received was sent: once equal, they stay so.
  [[nodiscard]] bool old_messages_have_arrived() const noexcept {
    std::uint64_t under_way = 0;
    for (int i = 0; i < workers_; ++i) {
      if (seats_[i].joined.load(see_joined) < round_) return false;
      under_way += seats_[i].sent.load(count);
    }
    for (int i = 0; i < workers_; ++i) under_way -= seats_[i].received.load(count);
    return under_way == 0;
  }

  void publish(const GvtReport& report) noexcept {
    const Key least = std::min(report.least_pending, least_sent_);
    own_->time.store(least.time, word_of_report);
    own_->tie.store(least.tie, word_of_report);
    own_->ends.store(report.ends, word_of_report);
    own_->reported.store(round_, publish_report);
    reported_ = true;
  }

  bool adopt() noexcept {
    Key least = latest_key;
    std::uint64_t ends = latest_key.time;
    for (int i = 0; i < workers_; ++i) {
      if (seats_[i].reported.load(see_report) < round_) return false;
      // A seat is not written again before this worker joins the next round.
      const Key report{seats_[i].time.load(word_of_report), seats_[i].tie.load(word_of_report)};
      least = std::min(least, report);
      ends = std::min(ends, seats_[i].ends.load(word_of_report));
    }
    LAXITY_CHECK(!(least < value_));
    value_ = least;
    ends_ = ends;
    irrevocable_below_ = has_end() ? Key{ends_ + 1, 0} : value_;
    rounds_ = round_;
    return true;
  }

  // The counts need no order of their own: a worker joins after it has written `sent` and a first `received`, and what it
  // received lies below its own report, whoever hears of it when.
  static constexpr Site started_seen{1, std::memory_order_relaxed};
  static constexpr Site started_written{2, std::memory_order_relaxed};
  static constexpr Site count{3, std::memory_order_relaxed};
  static constexpr Site publish_joined{4, std::memory_order_release};  // the counts; pairs with the next
  static constexpr Site see_joined{5, std::memory_order_acquire};
  static constexpr Site word_of_report{6, std::memory_order_relaxed};
  static constexpr Site publish_report{7, std::memory_order_release};  // its words; pairs with the next
  static constexpr Site see_report{8, std::memory_order_acquire};

  BasicGvtSharedState<Atomics>* board_;
  BasicGvtWorkerState<Atomics>* seats_;
  BasicGvtWorkerState<Atomics>* own_;
  int workers_;
  Key value_ = earliest_key;
  std::uint64_t ends_ = latest_key.time;  // as reported in the last round that has ended
  Key irrevocable_below_ = earliest_key;
  std::uint64_t round_ = 0;   // joined
  std::uint64_t rounds_ = 0;  // completed
  unsigned color_ = 0;
  bool reported_ = true;
  std::uint64_t sent_[2] = {0, 0};
  std::uint64_t received_[2] = {0, 0};
  Key least_sent_ = latest_key;
};

using GvtSharedState = BasicGvtSharedState<StdAtomics>;
using Gvt = BasicGvt<StdAtomics>;

}  // namespace laxity::timewarp
