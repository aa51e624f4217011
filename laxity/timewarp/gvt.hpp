// Global virtual time (GVT): a lower bound on the time of every event that can still be rolled back.
//
// Source: Mattern, Efficient algorithms for distributed snapshots and global virtual time approximation, J. Parallel
// Distrib. Comput. 18 (1993): two cuts and message counts, without stopping event execution. Here the counts lie in
// memory that all workers see, one line each, so a round costs each worker a look at n lines.
//
// A round: every worker joins (first cut) and from then on colours its messages with the round's parity. When all have
// joined and as many messages of the old colour were received as had been sent, none of them is under way; then every
// worker reports (second cut) the least of its unprocessed events and of the messages it sent since it joined. The least
// report is the new GVT.
//
// Invariants: GVT never decreases; no unprocessed event, and no message under way, lies below it. Times are instants
// (time and priority, Key::instant()). Work per round does not depend on the number of logical processes.
// Threads: every worker has its own Gvt over a common board and calls advance(); none waits.
// Elsewhere: freeing history below GVT (optimistic_worker.hpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "laxity/check.hpp"
#include "laxity/timewarp/key.hpp"

namespace laxity::timewarp {

/// What all workers see of one: written by it, in memory that all share. Zeroed memory is a valid start.
struct alignas(64) GvtSeat {
  std::atomic<std::uint64_t> joined;    ///< the last round it joined
  std::atomic<std::uint64_t> sent;      ///< messages of the old colour it had sent when it joined, ever
  std::atomic<std::uint64_t> received;  ///< messages of the old colour it has received, ever
  std::atomic<std::uint64_t> reported;  ///< the last round it reported in
  std::atomic<std::uint64_t> time;      ///< its report
  std::atomic<std::uint64_t> tie;
};

/// The board: this, then a seat for each worker.
struct alignas(64) GvtBoard {
  std::atomic<std::uint64_t> started;  ///< rounds started
  [[nodiscard]] static std::size_t bytes_needed(int workers) noexcept {
    return sizeof(GvtBoard) + static_cast<std::size_t>(workers) * sizeof(GvtSeat);
  }
  [[nodiscard]] GvtSeat* seats() noexcept { return reinterpret_cast<GvtSeat*>(this + 1); }
};

class Gvt {
 public:
  Gvt(GvtBoard& board, int worker, int workers) noexcept
      : board_(&board), seats_(board.seats()), own_(&seats_[worker]), workers_(workers) {}

  [[nodiscard]] Key value() const noexcept { return value_; }
  [[nodiscard]] std::uint64_t rounds() const noexcept { return rounds_; }
  /// True when nothing is left to process anywhere.
  [[nodiscard]] bool finished() const noexcept { return value_ == latest_key; }

  /// Counts a message about the event with this key; the colour travels with it. Call before the message can be seen.
  [[nodiscard]] unsigned sending(const Key& key) noexcept {
    ++sent_[colour_];
    if (key < least_sent_) least_sent_ = key.instant();
    return colour_;
  }
  /// Counts a message that has been received and delivered.
  void received(unsigned colour) noexcept { ++received_[colour]; }

  /// Starts a round unless one is under way. Any worker may.
  void start() noexcept {
    if (idle() && board_->started.load(std::memory_order_relaxed) == round_) {
      std::uint64_t expected = round_;
      board_->started.compare_exchange_strong(expected, round_ + 1, std::memory_order_relaxed);
    }
  }

  /// Takes the part in a round that can be taken now; `least_pending()` gives the instant of this worker's first
  /// unprocessed event, latest_key if there is none. True if a round has ended; value() may have grown.
  template <class LeastPending>
  bool advance(LeastPending least_pending) noexcept {
    if (idle()) {
      if (board_->started.load(std::memory_order_relaxed) == round_) return false;
      join();
    }
    own_->received.store(received_[colour_ ^ 1], std::memory_order_release);  // G1: after the messages were delivered
    if (!reported_) {
      if (!old_messages_have_arrived()) return false;
      report(least_pending());
    }
    return adopt();
  }

 private:
  [[nodiscard]] bool idle() const noexcept { return rounds_ == round_; }

  void join() noexcept {
    ++round_;
    reported_ = false;
    own_->sent.store(sent_[colour_], std::memory_order_relaxed);
    own_->received.store(received_[colour_], std::memory_order_relaxed);
    colour_ ^= 1;
    least_sent_ = latest_key;
    own_->joined.store(round_, std::memory_order_release);  // G2: publishes `sent`, pairs with G3
  }

  // Both sums are of values that only grow, and what is received was sent: once equal, they stay so.
  [[nodiscard]] bool old_messages_have_arrived() const noexcept {
    std::uint64_t under_way = 0;
    for (int i = 0; i < workers_; ++i) {
      if (seats_[i].joined.load(std::memory_order_acquire) < round_) return false;  // G3
      under_way += seats_[i].sent.load(std::memory_order_relaxed);
    }
    for (int i = 0; i < workers_; ++i) under_way -= seats_[i].received.load(std::memory_order_acquire);  // G4: with G1
    return under_way == 0;
  }

  void report(const Key& least_pending) noexcept {
    const Key least = std::min(least_pending, least_sent_);
    own_->time.store(least.time, std::memory_order_relaxed);
    own_->tie.store(least.tie, std::memory_order_relaxed);
    own_->reported.store(round_, std::memory_order_release);  // G5: publishes the report, pairs with G6
    reported_ = true;
  }

  bool adopt() noexcept {
    Key least = latest_key;
    for (int i = 0; i < workers_; ++i) {
      if (seats_[i].reported.load(std::memory_order_acquire) < round_) return false;  // G6
      // A seat is not written again before this worker joins the next round.
      const Key report{seats_[i].time.load(std::memory_order_relaxed), seats_[i].tie.load(std::memory_order_relaxed)};
      least = std::min(least, report);
    }
    LAXITY_CHECK(!(least < value_));
    value_ = least;
    rounds_ = round_;
    return true;
  }

  GvtBoard* board_;
  GvtSeat* seats_;
  GvtSeat* own_;
  int workers_;
  Key value_ = earliest_key;
  std::uint64_t round_ = 0;   // joined
  std::uint64_t rounds_ = 0;  // completed
  unsigned colour_ = 0;
  bool reported_ = true;
  std::uint64_t sent_[2] = {0, 0};
  std::uint64_t received_[2] = {0, 0};
  Key least_sent_ = latest_key;
};

}  // namespace laxity::timewarp
