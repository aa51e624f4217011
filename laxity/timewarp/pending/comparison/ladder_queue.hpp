// For comparison only: the ladder queue, a pending-event set that sorts events only when they are near. Top holds far
// events unsorted; rungs of buckets, each finer than the one above, hold nearer events; Bottom holds a few in order.
//
// Source: Tang, Goh and Thng, Ladder queue: an O(1) priority queue structure for large-scale discrete event simulation
// (ACM TOMACS 15(3), 2005). With more than one sub-bucket per bucket: see two_tier_ladder.hpp.
//
// Buckets divide the integers that represent times (key.hpp), not the times. For integer times this is the original
// with a width of whole units. For double times the integers are the bit patterns: within a power of two the buckets
// have equal widths as in the original, and the next power of two has buckets twice as wide; a bucket that becomes too
// full is divided by a rung, as in the original. Index and order then agree exactly, without rounding, infinities or
// denormals, and distinct times can always be divided. The width is a power of two, so that a shift replaces a
// division.
//
// Other differences from the original:
//  - A new rung spans the times of its events, and its last bucket is open-ended. In the original it spans the whole
//    bucket that it divides, so that a cluster of close times far from the others needs several rungs.
//  - Bottom is a sorted run and a heap of events that were pushed later. A sorted list takes n^2 steps for n events of
//    one time that are sent at that time, and no rung can divide them.
//
// Cost: amortized O(1) for a push or a pop if times are spread, at worst O(log n) in Bottom.
// Invariants: every event of Bottom is at or before every event of the rungs, every event of a rung is before the
// remaining buckets of the rung above, and all of these are before Top. Memory is reused.
// Threads: one.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "laxity/check.hpp"
#include "laxity/timewarp/key.hpp"
#include "laxity/timewarp/pending/pending_event.hpp"

namespace laxity::timewarp {

/// A PendingSet. Each bucket is a list for every sub-bucket; events of one sender share a sub-bucket.
template <std::size_t sub_buckets>
class Ladder {
  static_assert(std::has_single_bit(sub_buckets));

 public:
  /// The layout of ties: cancel() and the choice of the sub-bucket need to know the sender.
  explicit Ladder(TieLayout layout = TieLayout(std::numeric_limits<LpId>::max())) noexcept : layout_(layout) {}

  [[nodiscard]] std::size_t size() const noexcept { return near_ + far_; }

  [[nodiscard]] const PendingEvent* top() {
    if (bottom_is_empty() && !refill_bottom()) return nullptr;
    return late_is_next() ? &late_.front() : &sorted_[first_];
  }

  [[nodiscard]] std::span<const PendingEvent> upcoming() const noexcept {
    constexpr std::size_t ahead = 5;
    if (first_ + ahead >= sorted_.size()) return {};
    return {&sorted_[first_ + ahead], 1};
  }

  void push(const PendingEvent& event) {
    if (near_ == 0 || event.key.time > near_until_) {
      top_[sub_bucket_of(event)].push_back(event);
      ++far_;
      return;
    }
    ++near_;
    for (Rung& rung : rungs()) {
      if (!rung.accepts(event.key.time)) continue;
      link(rung, nodes_.add(event));
      return;
    }
    late_.push_back(event);
    std::push_heap(late_.begin(), late_.end(), after);
    if (late_.size() > late_limit_) divide_bottom();
  }

  void pop() {
    if (bottom_is_empty()) (void)refill_bottom();
    LAXITY_DCHECK(!bottom_is_empty());
    --near_;
    if (late_is_next()) {
      std::pop_heap(late_.begin(), late_.end(), after);
      late_.pop_back();
    } else {
      ++first_;
    }
  }

  /// Removes the events that `sender` sent with this sequence or a later one, by a search of the sender's sub-buckets
  /// and of Bottom. Returns how many there were.
  std::size_t cancel(LpId sender, std::uint64_t first_sequence);

 private:
  // Buckets with more events are divided before they are sorted. Every sub-bucket is visited, empty or not, so with
  // many of them a bucket should hold more events.
  static constexpr std::size_t divide_above = sub_buckets == 1 ? 64 : 128;
  static constexpr std::size_t events_per_bucket = sub_buckets == 1 ? 2 : 16;
  // Bottom is filled with buckets until it has this many events, so that some can be prefetched.
  static constexpr std::size_t refill_to = 32;
  // Dividing a full bucket narrows it by at least three of 64 bits; rollbacks that divide Bottom may add further rungs.
  // If all rungs are in use, a bucket that is too full is sorted as it is.
  static constexpr std::size_t max_rungs = 20;

  using NodeIndex = std::uint32_t;
  static constexpr NodeIndex none = std::numeric_limits<NodeIndex>::max();

  // The elements of all lists, by index.
  class Nodes {
   public:
    struct Node {
      PendingEvent event;
      NodeIndex next;
    };
    Node& operator[](NodeIndex node) noexcept { return nodes_[node]; }
    NodeIndex add(const PendingEvent& event) {
      if (free_ == none) {
        nodes_.push_back({event, none});
        return static_cast<NodeIndex>(nodes_.size() - 1);
      }
      const NodeIndex node = free_;
      free_ = nodes_[node].next;
      nodes_[node].event = event;
      return node;
    }
    void remove(NodeIndex node) noexcept {
      nodes_[node].next = free_;
      free_ = node;
    }

   private:
    std::vector<Node> nodes_;
    NodeIndex free_ = none;
  };

  struct Rung {
    std::uint64_t start = 0;
    int shift = 0;  // log2 of the width of a bucket
    std::size_t buckets = 0;
    std::size_t current = 0;       // buckets before it are empty
    std::vector<NodeIndex> lists;  // bucket b, sub-bucket s at s * buckets + b, as cancel() reads a row

    [[nodiscard]] std::size_t bucket_of(std::uint64_t time) const noexcept {
      return static_cast<std::size_t>(std::min<std::uint64_t>((time - start) >> shift, buckets - 1));
    }
    [[nodiscard]] bool accepts(std::uint64_t time) const noexcept {
      return time >= start && bucket_of(time) >= current;
    }
    [[nodiscard]] NodeIndex& list(std::size_t bucket, std::size_t sub) noexcept {
      return lists[sub * buckets + bucket];
    }
  };

  // The first and the last time of some events.
  struct Span {
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t last = 0;
    void include(const PendingEvent& event) noexcept {
      first = std::min(first, event.key.time);
      last = std::max(last, event.key.time);
    }
    void include(std::span<const PendingEvent> events) noexcept {
      for (const PendingEvent& event : events) include(event);
    }
  };

  // The lists of a bucket.
  using Lists = std::array<NodeIndex, sub_buckets>;

  static bool after(const PendingEvent& a, const PendingEvent& b) noexcept { return before(b, a); }

  std::span<Rung> rungs() noexcept { return {rungs_.data(), depth_}; }
  bool bottom_is_empty() const noexcept { return first_ == sorted_.size() && late_.empty(); }
  bool late_is_next() const noexcept {
    return !late_.empty() && (first_ == sorted_.size() || before(late_.front(), sorted_[first_]));
  }

  std::size_t sub_bucket_of(LpId sender) const noexcept { return sender * 0x9e3779b1U >> 16 & (sub_buckets - 1); }
  std::size_t sub_bucket_of(const PendingEvent& event) const noexcept {
    return sub_buckets == 1 ? 0 : sub_bucket_of(layout_.sender(event.key.tie));
  }

  void link(Rung& rung, NodeIndex node) noexcept {
    const PendingEvent& event = nodes_[node].event;
    NodeIndex& list = rung.list(rung.bucket_of(event.key.time), sub_bucket_of(event));
    nodes_[node].next = list;
    list = node;
  }

  // Adds the finest rung, for `events` events of these times.
  Rung& add_rung(const Span& times, std::size_t events) {
    Rung& rung = rungs_[depth_++];
    const std::uint64_t width = times.last - times.first;
    const std::size_t wanted = std::max<std::size_t>(events / events_per_bucket, 2);
    rung.start = times.first;
    rung.shift = std::max(0, static_cast<int>(std::bit_width(width)) - static_cast<int>(std::bit_width(wanted)));
    rung.buckets = static_cast<std::size_t>(width >> rung.shift) + 1;
    rung.current = 0;
    if (rung.lists.size() < rung.buckets * sub_buckets) rung.lists.resize(rung.buckets * sub_buckets, none);
    return rung;
  }

  bool refill_bottom();
  void divide_top();
  bool skip_empty_buckets(Rung& rung) noexcept;
  void empty_bucket(Rung& rung);
  void divide_bottom();

  template <class Visit>
  void for_each(const Lists& lists, Visit&& visit) {
    for (const NodeIndex list : lists) {
      for (NodeIndex node = list; node != none;) {
        const NodeIndex next = nodes_[node].next;
        visit(node);
        node = next;
      }
    }
  }

  TieLayout layout_;
  std::array<std::vector<PendingEvent>, sub_buckets> top_;
  std::size_t far_ = 0;                // events in Top
  std::size_t near_ = 0;               // events in the rungs and Bottom
  std::uint64_t near_until_ = 0;       // the last time of rungs and Bottom, if these are not empty
  std::array<Rung, max_rungs> rungs_;  // from coarse to fine
  std::size_t depth_ = 0;
  Nodes nodes_;
  std::vector<PendingEvent> sorted_;  // Bottom: from first_ on
  std::size_t first_ = 0;
  std::vector<PendingEvent> late_;  // Bottom: a heap
  std::size_t late_limit_ = divide_above;
};

template <std::size_t sub_buckets>
bool Ladder<sub_buckets>::refill_bottom() {
  sorted_.clear();
  first_ = 0;
  late_limit_ = divide_above;
  if (near_ == 0) {
    depth_ = 0;  // all rungs are empty
    if (far_ == 0) return false;
    divide_top();
  }
  while (depth_ > 0 && sorted_.size() < refill_to) {
    Rung& rung = rungs_[depth_ - 1];
    if (skip_empty_buckets(rung)) {
      empty_bucket(rung);
    } else {
      --depth_;
    }
  }
  late_limit_ = std::max(divide_above, sorted_.size());
  return true;
}

// Makes Top the first rung, or Bottom if it has few events.
template <std::size_t sub_buckets>
void Ladder<sub_buckets>::divide_top() {
  Span times;
  for (const auto& events : top_) times.include(events);
  near_until_ = times.last;
  near_ = far_;
  far_ = 0;
  const bool divisible = near_ > divide_above && times.first < times.last;
  Rung* rung = divisible ? &add_rung(times, near_) : nullptr;
  for (auto& events : top_) {
    if (divisible) {
      for (const PendingEvent& event : events) link(*rung, nodes_.add(event));
    } else {
      sorted_.insert(sorted_.end(), events.begin(), events.end());
    }
    events.clear();
  }
  std::sort(sorted_.begin(), sorted_.end(), before);
}

// Advances to a bucket that is not empty; false if there is none.
template <std::size_t sub_buckets>
bool Ladder<sub_buckets>::skip_empty_buckets(Rung& rung) noexcept {
  for (; rung.current < rung.buckets; ++rung.current) {
    for (std::size_t sub = 0; sub < sub_buckets; ++sub) {
      if (rung.list(rung.current, sub) != none) return true;
    }
  }
  return false;
}

// Sorts the current bucket into Bottom, or divides it if it is too full for that.
template <std::size_t sub_buckets>
void Ladder<sub_buckets>::empty_bucket(Rung& rung) {
  Lists lists;
  for (std::size_t sub = 0; sub < sub_buckets; ++sub) lists[sub] = std::exchange(rung.list(rung.current, sub), none);
  ++rung.current;
  if (rung.current == rung.buckets) --depth_;  // the rung is empty, so that dividing its last bucket adds no depth

  Span times;
  std::size_t events = 0;
  for_each(lists, [&](NodeIndex node) {
    times.include(nodes_[node].event);
    ++events;
  });
  if (events > divide_above && times.first < times.last && depth_ < max_rungs) {
    Rung& finer = add_rung(times, events);
    for_each(lists, [&](NodeIndex node) { link(finer, node); });
    return;
  }
  const auto sorted = static_cast<std::ptrdiff_t>(sorted_.size());
  for_each(lists, [&](NodeIndex node) {
    sorted_.push_back(nodes_[node].event);
    nodes_.remove(node);
  });
  std::sort(sorted_.begin() + sorted, sorted_.end(), before);
}

// Makes a Bottom that has become too long a rung, if its times differ.
template <std::size_t sub_buckets>
void Ladder<sub_buckets>::divide_bottom() {
  const std::span<const PendingEvent> sorted(sorted_.begin() + static_cast<std::ptrdiff_t>(first_), sorted_.end());
  Span times;
  times.include(sorted);
  times.include(late_);
  if (times.first == times.last || depth_ == max_rungs) {
    late_limit_ *= 2;  // so that the cost of these checks per event is bounded
    return;
  }
  Rung& rung = add_rung(times, sorted.size() + late_.size());
  for (const PendingEvent& event : sorted) link(rung, nodes_.add(event));
  for (const PendingEvent& event : late_) link(rung, nodes_.add(event));
  sorted_.clear();
  first_ = 0;
  late_.clear();
  late_limit_ = divide_above;
}

template <std::size_t sub_buckets>
std::size_t Ladder<sub_buckets>::cancel(LpId sender, std::uint64_t first_sequence) {
  const auto canceled = [&](const PendingEvent& event) {
    return layout_.sender(event.key.tie) == sender && layout_.sequence(event.key.tie) >= first_sequence;
  };
  const std::size_t sub = sub_buckets == 1 ? 0 : sub_bucket_of(sender);
  const std::size_t from_top = std::erase_if(top_[sub], canceled);
  far_ -= from_top;

  std::size_t from_near = 0;
  for (Rung& rung : rungs()) {
    for (std::size_t bucket = rung.current; bucket < rung.buckets; ++bucket) {
      for (NodeIndex* link = &rung.list(bucket, sub); *link != none;) {
        const NodeIndex node = *link;
        if (canceled(nodes_[node].event)) {
          *link = nodes_[node].next;
          nodes_.remove(node);
          ++from_near;
        } else {
          link = &nodes_[node].next;
        }
      }
    }
  }
  const auto kept = std::remove_if(sorted_.begin() + static_cast<std::ptrdiff_t>(first_), sorted_.end(), canceled);
  from_near += static_cast<std::size_t>(sorted_.end() - kept);
  sorted_.erase(kept, sorted_.end());
  from_near += std::erase_if(late_, canceled);
  std::make_heap(late_.begin(), late_.end(), after);
  near_ -= from_near;
  return from_top + from_near;
}

/// The ladder queue as it was published: one list a bucket.
using LadderQueue = Ladder<1>;

}  // namespace laxity::timewarp
