// The events of a simulation in the order of their times: a radix heap.
//
// Events lie in buckets by the highest bit in which their time differs from that of the last event taken, so that each
// is moved at most once for each bit. Events of one time are ordered by kind and number.
// Source: Ahuja, Mehlhorn, Orlin, Tarjan: Faster algorithms for the shortest path problem, J. ACM 37 (1990).
// Invariant: times never decrease: no event is added before the last one that was taken.
// Threads: one.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <vector>

#include "laxity/check.hpp"

namespace laxity::schedule::detail {

template <class Event>
class EventQueue {
 public:
  void push(const Event& event) {
    LAXITY_DCHECK(event.time >= now_);
    add(event);
  }
  [[nodiscard]] bool empty() const noexcept { return !has_current() && filled_ == 0; }
  /// That of the next event; the largest number if there is none.
  [[nodiscard]] std::int64_t next_time() const noexcept {
    if (has_current()) return now_;
    return filled_ == 0 ? std::numeric_limits<std::int64_t>::max() : buckets_[lowest()].least;
  }
  /// Requires that there is one.
  Event pop() {
    if (!has_current()) advance();
    if (taken_ == current_.size() || (!added_.empty() && current_[taken_] > added_.top())) {
      const Event event = added_.top();
      added_.pop();
      return event;
    }
    return current_[taken_++];
  }

 private:
  struct Bucket {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::vector<Event> events;
  };

  [[nodiscard]] bool has_current() const noexcept { return taken_ < current_.size() || !added_.empty(); }
  [[nodiscard]] std::size_t lowest() const noexcept { return static_cast<std::size_t>(std::countr_zero(filled_)); }

  void add(const Event& event) {
    if (event.time == now_) return added_.push(event);
    const auto index = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(event.time ^ now_)) - 1);
    Bucket& bucket = buckets_[index];
    bucket.least = std::min(bucket.least, event.time);
    bucket.events.push_back(event);
    filled_ |= std::uint64_t{1} << index;
  }

  // Moves the bucket with the next event down.
  void advance() {
    const std::size_t index = lowest();
    Bucket& bucket = buckets_[index];
    now_ = bucket.least;
    filled_ &= filled_ - 1;
    bucket.least = std::numeric_limits<std::int64_t>::max();
    current_.clear();
    taken_ = 0;
    moving_.swap(bucket.events);
    for (const Event& event : moving_) event.time == now_ ? current_.push_back(event) : add(event);
    moving_.clear();
    const auto later = [](const Event& a, const Event& b) { return b > a; };
    if (!std::ranges::is_sorted(current_, later)) std::ranges::sort(current_, later);
  }

  std::int64_t now_ = -1;
  std::vector<Event> current_;  // those of the time now_, sorted, and how many of them were taken
  std::size_t taken_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> added_;  // to the time now_ since then
  std::array<Bucket, 64> buckets_;                                        // by the highest differing bit
  std::uint64_t filled_ = 0;                                              // a bit for each bucket that is not empty
  std::vector<Event> moving_;
};

}  // namespace laxity::schedule::detail
