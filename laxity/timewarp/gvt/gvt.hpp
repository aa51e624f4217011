// Global virtual time (GVT): a lower bound on the time of every event that can still be rolled back.
//
// Source: Mattern, Efficient algorithms for distributed snapshots and global virtual time approximation, J. Parallel
// Distrib. Comput. 18 (1993): two cuts and message counts, without stopping event execution. Here the counts lie in
// memory that all workers share, one cache line for each worker, so that a round costs each of n workers n cache
// misses.
//
// A round: every worker joins (first cut) and from then on colors its messages with the parity of the round. When all
// have joined and the number of messages of the old color that were received equals the number sent, none of them is in
// flight. Then every worker reports (second cut) the minimum over its unprocessed events and the messages that it sent
// since it joined. The least report is the new GVT.
//
// A report also carries the least time at which an event that the worker has processed ends the run. Once the minimum
// of these times over all workers lies below GVT it is irrevocable, and the run ends there.
//
// Invariants: GVT never decreases; no unprocessed event and no message in flight lies below it. GVT is an instant (time
// and priority, Key::instant()). The work of a round is independent of the number of logical processes. All workers
// find the same end in the same round.
// Threads: every worker has its own Gvt over the same shared state and calls advance(); none waits.
// Elsewhere: fossil collection (fossil_collection.hpp), hosts that share no memory (gvt_replica.hpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "laxity/check.hpp"
#include "laxity/timewarp/key.hpp"
#include "laxity/transport/atomics_policy.hpp"

namespace laxity::timewarp {

/// What a worker reports in a round.
struct GvtReport {
  Key min_pending;                       ///< the instant of its first unprocessed event; latest_key if there is none
  std::uint64_t ends = latest_key.time;  ///< the least time (TimeBits) of a processed event that ends the run, if any
  bool is_memory_short = false;          ///< the other workers should send no further ahead of GVT
};

/// The state of one worker, written by it and read by all, in shared memory. Zeroed memory is a valid initial state.
template <class Atomics>
struct alignas(64) BasicGvtWorkerState {
  using Count = typename Atomics::template Atomic<std::uint64_t>;
  Count joined{0};    ///< the last round that it joined
  Count sent{0};      ///< messages of the old color that it had sent since the start of the run when it joined
  Count received{0};  ///< messages of the old color that it has received since the start of the run
  Count reported{0};  ///< the last round in which it reported
  Count time{0};      ///< of its report, like the next two
  Count tie{0};
  Count ends{0};
};

/// The state that all workers share: this, followed by the state of each worker.
template <class Atomics>
struct alignas(64) BasicGvtSharedState {
  typename Atomics::template Atomic<std::uint64_t> started{0};  ///< number of rounds
  [[nodiscard]] static std::size_t bytes_needed(int workers) noexcept {
    return sizeof(BasicGvtSharedState) + static_cast<std::size_t>(workers) * sizeof(BasicGvtWorkerState<Atomics>);
  }
  [[nodiscard]] BasicGvtWorkerState<Atomics>* workers() noexcept {
    return reinterpret_cast<BasicGvtWorkerState<Atomics>*>(this + 1);
  }
};

template <class Atomics>
class BasicGvt {
 public:
  BasicGvt(BasicGvtSharedState<Atomics>& shared, int worker, int workers) noexcept
      : shared_(&shared), states_(shared.workers()), own_(&states_[worker]), workers_(workers) {}

  [[nodiscard]] Key value() const noexcept { return value_; }
  [[nodiscard]] std::uint64_t rounds() const noexcept { return rounds_; }
  /// Whether a worker has reported in the last round that it is short of memory.
  [[nodiscard]] bool is_memory_short() const noexcept { return is_memory_short_; }
  /// Whether no worker has an event left to process that belongs to the run.
  [[nodiscard]] bool finished() const noexcept { return value_ == latest_key || has_end(); }
  /// Whether a process has irrevocably ended the run.
  [[nodiscard]] bool has_end() const noexcept { return ends_ < value_.time; }
  /// The time (TimeBits) of that end, if has_end(). Events at this time still belong to the run.
  [[nodiscard]] std::uint64_t end() const noexcept { return ends_; }
  /// Every event below this key is irrevocable.
  [[nodiscard]] const Key& irrevocable_below() const noexcept { return irrevocable_below_; }

  /// Counts a message about the event with this key; returns the color to send with it. Call before the message is
  /// sent.
  [[nodiscard]] unsigned sending(const Key& key) noexcept {
    ++sent_[color_];
    if (key < min_sent_) min_sent_ = key.instant();
    return color_;
  }
  /// Counts a message of this color. Call when it was received and delivered.
  void received(unsigned color) noexcept { ++received_[color]; }

  /// Starts a round unless one is in progress. Any worker may; workers that start one at the same time store the same
  /// number, and none can store a later one before this worker has joined.
  void start() noexcept {
    if (idle() && shared_->started.load(started_seen) == round_) shared_->started.store(round_ + 1, started_written);
  }

  /// Takes the next step of a round if it can be taken now; `report()` returns this worker's GvtReport. True: a round
  /// has ended, and value() may have increased.
  template <class Report>
  bool advance(Report report) noexcept {
    if (idle()) {
      if (shared_->started.load(started_seen) == round_) return false;
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
    min_sent_ = latest_key;
    own_->joined.store(round_, publish_joined);
  }

  // Both sums only increase, and no message is received before it was sent: once equal, the sums stay equal.
  [[nodiscard]] bool old_messages_have_arrived() const noexcept {
    std::uint64_t in_flight = 0;
    for (int i = 0; i < workers_; ++i) {
      if (states_[i].joined.load(see_joined) < round_) return false;
      in_flight += states_[i].sent.load(count);
    }
    for (int i = 0; i < workers_; ++i) in_flight -= states_[i].received.load(count);
    return in_flight == 0;
  }

  void publish(const GvtReport& report) noexcept {
    const Key least = std::min(report.min_pending, min_sent_);
    own_->time.store(least.time, word_of_report);
    own_->tie.store(least.tie | (report.is_memory_short ? memory_is_short : 0), word_of_report);
    own_->ends.store(report.ends, word_of_report);
    own_->reported.store(round_, publish_report);
    reported_ = true;
  }

  bool adopt() noexcept {
    Key least = latest_key;
    std::uint64_t ends = latest_key.time;
    bool is_memory_short = false;
    for (int i = 0; i < workers_; ++i) {
      if (states_[i].reported.load(see_report) < round_) return false;
      // No report is written again before this worker joins the next round.
      Key report{states_[i].time.load(word_of_report), states_[i].tie.load(word_of_report)};
      if (report != latest_key && (report.tie & memory_is_short) != 0) {
        is_memory_short = true;
        report.tie &= ~memory_is_short;
      }
      least = std::min(least, report);
      ends = std::min(ends, states_[i].ends.load(word_of_report));
    }
    LAXITY_CHECK(!(least < value_));
    value_ = least;
    ends_ = ends;
    is_memory_short_ = is_memory_short;
    irrevocable_below_ = has_end() ? Key{ends_ + 1, 0} : value_;
    rounds_ = round_;
    return true;
  }

  // In the tie of a report, whose value is an instant: its lowest bits are 0.
  static constexpr std::uint64_t memory_is_short = 1;

  // The counts need no memory order of their own: a worker joins after it has stored `sent` and a first `received`, and
  // messages that it receives later are covered by its own report, whenever other workers see the count.
  static constexpr AtomicSite started_seen{1, std::memory_order_relaxed};
  static constexpr AtomicSite started_written{2, std::memory_order_relaxed};
  static constexpr AtomicSite count{3, std::memory_order_relaxed};
  static constexpr AtomicSite publish_joined{4, std::memory_order_release};  // after the counts; pairs with see_joined
  static constexpr AtomicSite see_joined{5, std::memory_order_acquire};
  static constexpr AtomicSite word_of_report{6, std::memory_order_relaxed};
  static constexpr AtomicSite publish_report{7, std::memory_order_release};  // after its words; pairs with see_report
  static constexpr AtomicSite see_report{8, std::memory_order_acquire};

  BasicGvtSharedState<Atomics>* shared_;
  BasicGvtWorkerState<Atomics>* states_;
  BasicGvtWorkerState<Atomics>* own_;
  int workers_;
  Key value_ = earliest_key;
  std::uint64_t ends_ = latest_key.time;  // as reported in the last round that has ended
  Key irrevocable_below_ = earliest_key;
  std::uint64_t round_ = 0;   // joined
  std::uint64_t rounds_ = 0;  // completed
  unsigned color_ = 0;
  bool reported_ = true;
  bool is_memory_short_ = false;
  std::uint64_t sent_[2] = {0, 0};
  std::uint64_t received_[2] = {0, 0};
  Key min_sent_ = latest_key;
};

using GvtSharedState = BasicGvtSharedState<StdAtomics>;
using Gvt = BasicGvt<StdAtomics>;

}  // namespace laxity::timewarp
