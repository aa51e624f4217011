// For comparison only: a pending-event set in three tiers. A heap of logical processes, each with its instants (time
// and priority) in order, each instant with its events.
//
// Source: Higiro, Gebre and Rao, Multi-tier priority queues and 2-tier ladder queue for managing pending events in
// sequential and optimistic parallel simulations (SIGSIM-PADS 2017), 3tHeap. There are two differences. An instant of
// one event, the usual case with continuous times, holds it without a bucket. When the first instant of a process
// changes, the original moves the process within the first tier, which requires its position; here the process gets
// another entry, so that the first tier is a plain heap, and the old entry becomes valid again later.
//
// Efficient if many events of one process share an instant, as the first tier is accessed once per instant. Cost: O(log
// processes) per instant, O(log events) per event of an instant, and a binary search and a move of memory within the
// instants of one process: pushes to a process with tens of thousands of pending instants are slow.
//
// Invariants: the instants of a process increase; its first `listed` instants, at least one, have one entry each in the
// first tier; an instant holds its first event itself and the others in a heap. Memory is reused and never freed.
// Threads: one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "laxity/check.hpp"
#include "laxity/timewarp/key.hpp"
#include "laxity/timewarp/pending/comparison/receiver_table.hpp"
#include "laxity/timewarp/pending/heap_queue.hpp"
#include "laxity/timewarp/pending/pending_event.hpp"

namespace laxity::timewarp {

/// A PendingSet.
class ThreeTierHeap {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  [[nodiscard]] const PendingEvent* top() noexcept {
    const PendingEvent* entry = first_tier_.top();
    if (entry == nullptr) return nullptr;
    const Instant& instant = processes_[entry->event].front();
    top_ = {{instant.time, instant.tie}, entry->receiver, instant.event};
    return &top_;
  }

  void push(const PendingEvent& event) {
    const std::uint32_t number = receivers_.number_of(event.receiver);
    if (number == processes_.size()) processes_.emplace_back();
    Process& process = processes_[number];
    const Instant added{event.key.time, event.key.tie, event.event, none};
    const std::size_t place = process.place_of(added);
    ++size_;
    if (place < process.instants.size() && !earlier(added, process.instants[place])) {
      add_to(process.instants[place], added);
      return;
    }
    const std::size_t rank = place - process.first;
    process.insert(place, added);
    if (rank == 0 || rank < process.listed) {
      list(process, added, event.receiver, number);
    }
  }

  void pop() {
    LAXITY_DCHECK(size_ > 0);
    const std::uint32_t number = first_tier_.top()->event;
    const LpId receiver = first_tier_.top()->receiver;
    Process& process = processes_[number];
    --size_;
    if (process.front().others != none) {
      promote_next(process.front());
      return;
    }
    first_tier_.pop();
    --process.listed;
    process.drop_front();
    if (process.listed == 0 && !process.empty()) list(process, process.front(), receiver, number);
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  struct Instant {
    std::uint64_t time;
    std::uint64_t tie;  // of the first event
    std::uint32_t event;
    std::uint32_t others;  // index of the bucket, or none
  };
  struct Other {
    std::uint64_t tie;
    std::uint32_t event;
  };
  // The order of std heaps with the first event on top.
  static bool later(const Other& a, const Other& b) noexcept { return a.tie > b.tie; }
  // Compares time and priority, not the rest of the tie.
  static bool earlier(const Instant& a, const Instant& b) noexcept {
    return a.time != b.time ? a.time < b.time : a.tie >> 48 < b.tie >> 48;
  }

  struct Process {
    std::vector<Instant> instants;  // from `first` on
    std::uint32_t first = 0;
    std::uint32_t listed = 0;

    [[nodiscard]] bool empty() const noexcept { return first == instants.size(); }
    [[nodiscard]] Instant& front() noexcept { return instants[first]; }
    // The index of the first instant that is not earlier.
    [[nodiscard]] std::size_t place_of(const Instant& instant) const noexcept {
      const auto place = std::lower_bound(instants.begin() + first, instants.end(), instant, earlier);
      return static_cast<std::size_t>(place - instants.begin());
    }
    void insert(std::size_t place, const Instant& instant) {
      if (place == first && first > 0) {
        instants[--first] = instant;
      } else {
        instants.insert(instants.begin() + static_cast<std::ptrdiff_t>(place), instant);
      }
    }
    void drop_front() noexcept {
      ++first;
      if (2 * std::size_t{first} <= instants.size())
        return;  // removed instants take at most as much memory as the others
      instants.erase(instants.begin(), instants.begin() + first);
      first = 0;
    }
  };

  void list(Process& process, const Instant& instant, LpId receiver, std::uint32_t number) {
    ++process.listed;
    first_tier_.push({Key{instant.time, instant.tie}.instant(), receiver, number});
  }

  void add_to(Instant& instant, const Instant& added) {
    Other other{added.tie, added.event};
    if (other.tie < instant.tie) {
      std::swap(other.tie, instant.tie);
      std::swap(other.event, instant.event);
    }
    if (instant.others == none) instant.others = free_bucket();
    auto& others = buckets_[instant.others];
    others.push_back(other);
    std::push_heap(others.begin(), others.end(), later);
  }

  void promote_next(Instant& instant) {
    auto& others = buckets_[instant.others];
    std::pop_heap(others.begin(), others.end(), later);
    instant.tie = others.back().tie;
    instant.event = others.back().event;
    others.pop_back();
    if (others.empty()) free_buckets_.push_back(std::exchange(instant.others, none));
  }

  std::uint32_t free_bucket() {
    if (free_buckets_.empty()) {
      buckets_.emplace_back();
      return static_cast<std::uint32_t>(buckets_.size() - 1);
    }
    const std::uint32_t bucket = free_buckets_.back();
    free_buckets_.pop_back();
    return bucket;
  }

  HeapQueue<4> first_tier_;  // one entry per listed instant; its `event` is the number of the process
  std::vector<Process> processes_;
  ReceiverTable receivers_;
  std::vector<std::vector<Other>> buckets_;
  std::vector<std::uint32_t> free_buckets_;
  std::size_t size_ = 0;
  PendingEvent top_;
};

}  // namespace laxity::timewarp
