// The length of the union of intervals of time, which arrive nearly in the order of their ends.
//
// Invariants: overlapping intervals count once. Memory: `capacity` intervals; when there are more, the older half is
// settled, and what a later interval has before that moment is not counted. So the length is exact unless a call of one
// thread lasts longer than about capacity / 2 separate calls of the others. Threads: one at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace laxity::trace::detail {

class IntervalUnion {
 public:
  explicit IntervalUnion(std::size_t capacity) : capacity_(capacity) {}

  void add(std::int64_t begin_ns, std::int64_t end_ns) {
    begin_ns = std::max(begin_ns, settled_until_ns_);
    if (end_ns <= begin_ns) return;
    // The recent intervals that touch the new one become one with it.
    auto first = recent_.end();
    while (first != recent_.begin() && (first - 1)->end_ns >= begin_ns) --first;
    auto last = first;
    for (; last != recent_.end() && last->begin_ns <= end_ns; ++last) {
      begin_ns = std::min(begin_ns, last->begin_ns);
      end_ns = std::max(end_ns, last->end_ns);
    }
    first = recent_.erase(first, last);
    recent_.insert(first, {begin_ns, end_ns});
    if (recent_.size() > capacity_) settle();
  }

  [[nodiscard]] std::int64_t length_ns() const noexcept {
    std::int64_t sum = settled_ns_;
    for (const Interval& each : recent_) sum += each.end_ns - each.begin_ns;
    return sum;
  }

 private:
  struct Interval {
    std::int64_t begin_ns, end_ns;
  };

  void settle() {
    const auto end = recent_.begin() + static_cast<std::ptrdiff_t>(recent_.size() / 2);
    for (auto each = recent_.begin(); each != end; ++each) settled_ns_ += each->end_ns - each->begin_ns;
    settled_until_ns_ = (end - 1)->end_ns;
    recent_.erase(recent_.begin(), end);
  }

  std::size_t capacity_;
  std::vector<Interval> recent_;  // in the order of time, without overlaps
  std::int64_t settled_ns_ = 0;
  std::int64_t settled_until_ns_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace laxity::trace::detail
